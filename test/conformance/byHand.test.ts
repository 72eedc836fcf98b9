import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ByHand, type Hand, type Requirement, byHand, overHttp, requirements, run } from "@postern/conformance"
import { type TestProvider, startPostern } from "@postern/conformance/provider"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { folder, postern, start } from "../cli/run.ts"
import { freePort } from "../support/server.ts"

vi.setConfig({ testTimeout: 120_000 })

const of = (...ids: ReadonlyArray<string>): ReadonlyArray<Requirement> =>
  ids.map((id) => requirements.find((each) => each.id === id) as Requirement)

const far = "https://client.conformance.test/callback"

/** A provider, and a client at a redirect URI. */
const provider = async (callback: string) => {
  const client = { client_id: "web", client_secret: "the secret of web, which is long enough", redirect_uris: [callback] }
  const all = { grant_types: ["authorization_code", "refresh_token", "implicit"], response_types: ["code", "id_token", "code id_token"] }
  const op = await startPostern({ clients: [{ ...client, ...all }] })
  onTestFinished(() => op.stop())
  const known = { ...client, token_endpoint_auth_method: "client_secret_basic" }
  return { op, known, opening: overHttp({ issuer: op.issuer, clients: { web: known, hybrid: known }, rate: 500 }) }
}

/** The address of a line that asks for one to be opened. */
const addressOf = (line: string): string | undefined => /^ {3}(https?:\S+)$/.exec(line)?.[1]

/** The browser of a person: ends at the client, by a form where the answer is one. */
const browsed = async (op: TestProvider, url: string): Promise<void> => {
  const back = await op.authorize(url)
  const form = new URL(url).searchParams.get("response_mode") === "form_post"
  if (form) return void (await fetch(new URL(back.pathname, back), { method: "POST", body: back.searchParams }))
  const page = await (await fetch(back)).text()
  // A browser would run the script of the page, which tells the fragment.
  if (page.includes("location.href")) await fetch(back, { method: "POST", headers: { "content-type": "text/plain" }, body: back.href })
}

const opened = async (more: Partial<ByHand>): Promise<Hand> => {
  const hand = await byHand({ callbacks: [], say: () => undefined, line: () => new Promise(() => undefined), wait: 20_000, ...more })
  onTestFinished(() => hand.close())
  return hand
}

describe("a run by hand", () => {
  it("listens at redirect URIs on loopback: for the query, the fragment and the form (RFC 8252 §7.3)", async () => {
    const callback = `http://127.0.0.1:${await freePort()}/callback`
    const { op, opening } = await provider(callback)
    const said: Array<string> = []
    const say = (line: string): void => {
      said.push(line)
      const url = addressOf(line)
      if (url !== undefined) void browsed(op, url)
    }
    const hand = await opened({ callbacks: [callback], say })
    const asked = of("code.redeemed", "response.code-id-token-place", "response.code-form-post", "authorize.redirect-unregistered")
    const { results } = await run(opening, asked, { hand })
    expect(results.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])).toEqual(
      asked.map(({ id }) => [id, "pass", undefined]),
    )
    expect(said[0]).toBe(`listening at ${new URL(callback).origin} for the browser`)
    // Nobody is asked to open a request that the provider refuses by itself.
    expect(said.filter((line) => addressOf(line) !== undefined)).toHaveLength(3)
  })

  it("takes no answer with another state, of another page's script or in another's frame (RFC 6749 §10.12)", async () => {
    const callback = `http://127.0.0.1:${await freePort()}/callback`
    const hand = await opened({ callbacks: [callback] })
    const url = `https://op.example/authorize?state=right&redirect_uri=${encodeURIComponent(callback)}`
    const ended = hand.open({ url, refuse: false, note: "", isClient: (each) => each.startsWith(callback) })
    const sent = async (query: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<number> =>
      (await fetch(`${callback}${query}`, { headers, ...(body === undefined ? {} : { method: "POST", body }) })).status
    const [text, form] = [{ "content-type": "text/plain" }, { "content-type": "application/x-www-form-urlencoded" }]
    const foreign = { origin: "https://other.example", "sec-fetch-site": "cross-site" }
    const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`
    expect([
      await sent("?error=planted&state=wrong", foreign),
      await sent("?error=planted&state=wrong"),
      await sent("?error=planted"),
      await sent("?error=planted&state=right", foreign),
      await sent("?error=planted&state=right", { "sec-fetch-dest": "iframe" }),
      await sent("", { ...text, ...foreign }, `${callback}#error=planted&state=right`),
      await sent("", text, `${callback}#error=planted&state=wrong`),
      await sent("", form, "error=planted&state=wrong"),
      await sent(`?response=${jwt({ error: "planted", state: "wrong" })}`),
      await sent("?response=planted"),
    ]).toEqual(Array.from({ length: 10 }, () => 400))
    expect(await sent(`?response=${jwt({ code: "c", state: "right" })}`, { "sec-fetch-dest": "document" })).toBe(200)
    expect((await ended).leaving?.url).toBe(`${callback}?response=${jwt({ code: "c", state: "right" })}`)
  })

  it("takes the address that the person enters, and asks again for one that is no client's", async () => {
    const { op, opening } = await provider(far)
    const entered: Array<Promise<string>> = []
    const said: Array<string> = []
    const say = (line: string): void => {
      said.push(line)
      const url = addressOf(line)
      if (url !== undefined)
        entered.push(
          Promise.resolve("https://elsewhere.example/?code=1"),
          op.authorize(url).then(({ href }) => href),
        )
    }
    const hand = await opened({ say, line: async () => entered.shift() })
    const { results } = await run(opening, of("code.redeemed", "response.code-form-post"), { hand })
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["pass", undefined],
      ["skip", "by hand, a form is received at a redirect URI on loopback alone"],
    ])
    expect(said.filter((line) => line.includes("not a client's address"))).toHaveLength(1)
  })

  it("skips requirements about the pages that were shown, which nobody tells it", async () => {
    const { op, opening } = await provider(far)
    const entered: Array<Promise<string>> = []
    const say = (line: string): void => {
      const url = addressOf(line)
      if (url !== undefined) entered.push(op.authorize(url).then(({ href }) => href))
    }
    const hand = await opened({ say, line: async () => entered.shift() })
    const { results } = await run(
      opening,
      of("authorize.prompt-none-alone", "session.prompt-login", "authorize.post", "authorize.redirect-not-307"),
      { hand },
    )
    expect(results.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])).toEqual([
      ["authorize.prompt-none-alone", "pass", undefined],
      ["session.prompt-login", "skip", "by hand, a page cannot be left as it is"],
      ["authorize.post", "skip", "by hand, an address can be opened, and no form sent"],
      ["authorize.redirect-not-307", "skip", "by hand, nobody tells which pages were shown"],
    ])
  })

  it("waits for nobody longer than it was told, and asks no more once nobody came", async () => {
    const { opening } = await provider(far)
    let asked = 0
    const hand = await opened({ wait: 50, say: (line) => void (addressOf(line) === undefined || asked++) })
    const { results } = await run(opening, of("code.redeemed", "code.once"), { hand })
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["skip", "nobody came back within 0 s"],
      ["skip", "nobody is there"],
    ])
    expect(asked).toBe(1)
  })
})

describe("postern conform --manual", () => {
  const prepared = async (callback: string) => {
    const { op, known } = await provider(callback)
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: { web: known } }))
    return { op, cwd, args: ["conform", op.issuer, "--client-file", "clients.json", "--manual", "--only", "code.redeemed"] }
  }

  it("prints the address to open, and takes the one that is pasted", async () => {
    const { op, cwd, args } = await prepared(far)
    const child = start(args, { cwd })
    onTestFinished(() => void child.kill("SIGKILL"))
    let [err, isAsked] = ["", false]
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text
      const url = /^ {3}(http\S+)$/m.exec(err)?.[1]
      if (url === undefined || isAsked) return
      isAsked = true
      void op.authorize(url).then(({ href }) => child.stdin.write(`${href}\n`))
    })
    const code = await new Promise((resolve) => child.once("close", resolve))
    expect([code, err]).toEqual([0, expect.stringContaining("1 pass")])
    expect(err).toContain("Then paste the address at which the browser ends")
  })

  it("ends where standard input does and nothing listens", async () => {
    const { cwd, args } = await prepared(far)
    const { code, err } = await postern(args, { cwd })
    expect([code, err]).toEqual([0, expect.stringContaining("1 skip")])
  })

  it("says that a redirect URI is taken", async () => {
    const { op, cwd, args } = await prepared(far)
    const taken = `${op.issuer}/callback`
    writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: { web: { client_id: "web", redirect_uris: [taken] } } }))
    const { code, err } = await postern(args, { cwd })
    expect([code, err]).toEqual([1, expect.stringContaining("nothing can listen at a redirect URI: EADDRINUSE")])
  })

  it("is of no use in process", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const { code, err } = await postern(["conform", "--in-process", "--manual"], { cwd })
    expect([code, err]).toEqual([2, expect.stringContaining("--manual does not work with --in-process")])
  })

  it("has clients at a redirect URI of its own prepared", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const { code } = await postern(["conform", "--prepare", ".", "--callback", "http://127.0.0.1:8765/callback"], { cwd })
    expect(code).toBe(0)
    for (const file of ["clients.json", "client-file.json"]) {
      const { clients } = JSON.parse(await (await import("node:fs/promises")).readFile(join(cwd, file), "utf8")) as {
        readonly clients: object
      }
      expect(JSON.stringify(Object.values(clients)[0])).toContain(
        '["http://127.0.0.1:8765/callback","http://127.0.0.1:8765/callback?tab=1"]',
      )
    }
  })
})
