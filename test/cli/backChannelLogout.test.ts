import { createHash } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { sqliteStores } from "@postern/adapter-sqlite"
import { logoutMessage } from "@postern/core"
import { addMessage } from "@postern/core/model"
import { createRemoteJWKSet, jwtVerify } from "jose"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { Surfer } from "../support/surfer.ts"
import { full } from "../tiers/tier.ts"
import { posternLine } from "./lines.ts"
import { folder, patience } from "./run.ts"
import { listening, serve, setForward } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

/** A relying party that takes logout tokens, and answers as it is told. */
const relyingParty = async (answer: (response: ServerResponse) => void) => {
  const told: Array<{ readonly token: string; readonly at: number }> = []
  const party = { answer, told, url: "" }
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      told.push({ token: new URLSearchParams(body).get("logout_token") ?? "", at: performance.now() })
      party.answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  party.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`
  return party
}

const status =
  (code: number, retryAfter?: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end()
const silent = (): void => undefined

const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")
const secret = "a secret of 256 random bits, or so we say"
const password = "correct horse battery"

/** A server with a client for each relying party, and alice signed in at every one. */
const signedInServer = async (
  parties: Readonly<Record<string, { readonly url: string }>>,
  more: Readonly<Record<string, unknown>> = {},
  settings: Readonly<Record<string, unknown>> = {},
) => {
  const { cwd, remove } = folder({
    ...settings,
    issuer: "http://127.0.0.1:8080",
    development: true,
    listen: { port: 0 },
    audit: { store: true },
    users: [{ username: "alice", password }],
    clients: Object.entries(parties).map(([client_id, { url }]) => ({
      client_id,
      client_secret: secret,
      require_consent: false,
      scope: "openid",
      redirect_uris: ["https://app.example/cb"],
      backchannel_logout_uri: url,
      ...more,
    })),
  })
  onTestFinished(remove)
  const server = await serve({ cwd })
  const url = listening(server)
  const browser = new Surfer()
  const signIn = async (client_id: string): Promise<string> => {
    const query = new URLSearchParams({
      client_id,
      redirect_uri: "https://app.example/cb",
      response_type: "code",
      scope: "openid",
      code_challenge: challenge,
      code_challenge_method: "S256",
    })
    const back = await browser.authorize(`${url}/connect/authorize?${query.toString()}`, "alice", password)
    expect(back.href).toMatch(/[?&]code=/)
    return back.searchParams.get("code") ?? ""
  }
  for (const id of Object.keys(parties)) await signIn(id)
  const signOut = async () => {
    const page = await browser.follow(`${url}/logout`)
    const began = performance.now()
    const { response } = await browser.submit(await page.response.text(), page.url, {})
    expect(response.status).toBe(200)
    return performance.now() - began
  }
  const run = async (...args: ReadonlyArray<string>) => posternLine([...args], { cwd })
  return { cwd, url, server, browser, signIn, signOut, run }
}

const jwtOf = (token: string): unknown => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())

describe("logout tokens of a real server (OpenID Connect Back-Channel Logout)", () => {
  test("§2.5: every client is told before the person goes on, with a token that its own libraries accept", async () => {
    const [one, other] = [await relyingParty(status(200)), await relyingParty(status(204))]
    const at = await signedInServer({ one, other })
    await at.signOut()
    // No waiting: the answer to the person waited for both.
    expect([one.told.length, other.told.length]).toEqual([1, 1])
    const discovered = await (await fetch(`${at.url}/.well-known/openid-configuration`)).json()
    const keys = createRemoteJWKSet(new URL(new URL(String(discovered.jwks_uri)).pathname, at.url))
    const verified = await jwtVerify(one.told[0]?.token ?? "", keys, {
      issuer: "http://127.0.0.1:8080",
      audience: "one",
      typ: "logout+jwt",
    })
    expect(verified.payload).toMatchObject({
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      sid: expect.any(String),
    })
    expect((await at.run("logout", "status")).out).toBe("All logout tokens are delivered.\n")
    await vi.waitFor(async () => expect((await at.run("audit", "--event", "logout_delivered")).out).toMatch(/logout_delivered +one/), {
      timeout: patience,
    })
    const metrics = await (await fetch(`${at.url}/metrics`)).text()
    for (const client of ["one", "other"]) expect(metrics).toContain(`postern_logout_delivered{client="${client}"} 1\n`)
    const counted = JSON.parse((await at.run("logout", "status", "--clients", "--json")).out) as unknown
    expect(counted).toEqual(["one", "other"].map((client_id) => ({ client_id, delivered: 1, refused: 0, waiting: 0, given_up: 0 })))
  })

  test("logout tokens of each client are counted however many there are", async () => {
    const { cwd, remove } = folder({
      issuer: "http://127.0.0.1:8080",
      development: true,
      listen: { port: 0 },
      data: "a.sqlite",
      audit: { store: true },
    })
    onTestFinished(remove)
    const stores = sqliteStores(join(cwd, "a.sqlite"))
    const commands = Array.from({ length: 2100 }, (_, at) =>
      addMessage(
        `m${String(at).padStart(4, "0")}`,
        logoutMessage,
        { client_id: at % 3 === 0 ? "one" : "other", subject: "a", sub: "a" },
        1_795_000_000 + at,
      ),
    )
    for (let at = 0; at < commands.length; at += 300) await stores.tokens.commit(commands.slice(at, at + 300))
    await stores.close()
    const counted = JSON.parse((await posternLine(["logout", "status", "--clients", "--json"], { cwd })).out) as unknown
    expect(counted).toEqual([
      { client_id: "one", delivered: 0, refused: 0, waiting: 700, given_up: 0 },
      { client_id: "other", delivered: 0, refused: 0, waiting: 1400, given_up: 0 },
    ])
  })

  test("§2.8: one that hangs holds nobody up for long; one that refuses or fails is listed, and sent to again when asked for", async () => {
    const [hanging, refusing, failing] = [await relyingParty(silent), await relyingParty(status(400)), await relyingParty(status(503, "1"))]
    const at = await signedInServer({ hanging, refusing, failing })
    const took = await at.signOut()
    expect(refusing.told).toHaveLength(1)
    expect(failing.told).toHaveLength(1)
    // Two seconds are the most that is waited; the rest is for a busy machine.
    expect(took).toBeLessThan(30_000)
    const { out } = await at.run("logout", "status", "--json")
    const rows = JSON.parse(out) as ReadonlyArray<Record<string, unknown>>
    expect(rows.map(({ client_id, state }) => `${String(client_id)} ${String(state)}`).toSorted()).toEqual([
      "failing waiting",
      "hanging waiting",
      "refusing given_up",
    ])
    expect(rows.find(({ client_id }) => client_id === "refusing")).toMatchObject({ attempts: 1, last_failure: "refused with status 400" })
    await at.server.says(/message given up.*\n/)
    const lines = at.server.said.out
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []))
    expect(lines.filter(({ kind }) => kind === logoutMessage)).toEqual([
      expect.objectContaining({
        level: "error",
        message: "message given up",
        locator: expect.any(String),
        fault: "refused with status 400",
      }),
    ])
    refusing.answer = status(200)
    hanging.answer = status(200)
    expect(JSON.parse((await at.run("logout", "replay", "--client", "refusing", "--json")).out)).toEqual({ replayed: 1 })
    await vi.waitFor(() => expect(refusing.told).toHaveLength(2), { timeout: patience })
    await vi.waitFor(
      async () => expect((await at.run("logout", "status", "--client", "refusing")).out).toContain("All logout tokens are delivered"),
      {
        timeout: patience,
      },
    )
  })

  test("§2.4: an operator who disables a person or changes a password has each client told, without a sid", async () => {
    const party = await relyingParty(status(200))
    const at = await signedInServer({ party })
    expect((await at.run("user", "disable", "alice")).code).toBe(0)
    await vi.waitFor(() => expect(party.told).toHaveLength(1), { timeout: patience })
    const claims = JSON.parse(Buffer.from(party.told[0]?.token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>
    expect(claims).toMatchObject({ aud: "party", sub: expect.any(String) })
    expect(claims).not.toHaveProperty("sid")
  })

  test("§2.4: another password signs a person out everywhere, and has each client told", async () => {
    const party = await relyingParty(status(200))
    const at = await signedInServer({ party })
    expect(await posternLine(["user", "passwd", "alice"], { cwd: at.cwd, input: "battery horse correct" })).toMatchObject({ code: 0 })
    await vi.waitFor(() => expect(party.told).toHaveLength(1), { timeout: patience })
    expect(jwtOf(party.told[0]?.token ?? "")).not.toHaveProperty("sid")
  })

  test("RP-Initiated Logout §2: a client's server ends the session by its ID token, without a cookie, and the other client is told", async () => {
    const [one, other] = [await relyingParty(status(200)), await relyingParty(status(200))]
    const at = await signedInServer({ one, other }, { end_session_by_hint: true })
    const redeemed = await fetch(`${at.url}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`one:${encodeURIComponent(secret)}`).toString("base64")}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: await at.signIn("one"),
        redirect_uri: "https://app.example/cb",
        code_verifier: verifier,
      }),
    })
    const { id_token } = (await redeemed.json()) as { readonly id_token: string }
    const answer = await fetch(`${at.url}/connect/endsession?${new URLSearchParams({ id_token_hint: id_token }).toString()}`)
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null])
    expect([one.told.length, other.told.length]).toEqual([1, 1])
    const sids = [one, other].map(({ told }) => (jwtOf(told[0]?.token ?? "") as { readonly sid?: string }).sid)
    expect(new Set([...sids, (jwtOf(id_token) as { readonly sid?: string }).sid]).size).toBe(1)
    expect((await (await at.browser.follow(`${at.url}/`)).response.text()).includes("username")).toBe(true)
  })

  test.runIf(full)(
    "reference B-10: a session that runs out while the server is dead is told of once when it is started again, with several processes",
    async () => {
      const party = await relyingParty(status(200))
      const at = await signedInServer({ party }, {}, { backchannel_logout_on_expiry: true, lifetimes: { session_lifetime: 60 } })
      expect(await at.server.stop("SIGKILL")).toBe(null)
      expect(party.told).toHaveLength(0)
      await serve({ cwd: at.cwd, flags: setForward(61) }, "--workers", "2")
      await vi.waitFor(() => expect(party.told).toHaveLength(1), { timeout: patience })
      expect(jwtOf(party.told[0]?.token ?? "")).toMatchObject({ aud: "party", sid: expect.any(String) })
      await vi.waitFor(async () => expect((await at.run("audit", "--event", "session_expired")).out).toContain("session_expired"), {
        timeout: patience,
      })
      expect(party.told).toHaveLength(1)
    },
    240_000,
  )

  test.runIf(full)(
    "a server that is killed tells its clients when it is started again",
    async () => {
      const party = await relyingParty(silent)
      const at = await signedInServer({ party })
      await at.signOut()
      expect(await at.server.stop("SIGKILL")).toBe(null)
      party.answer = status(200)
      party.told.length = 0
      // The claim of the server that was killed runs out after a minute.
      await serve({ cwd: at.cwd, flags: setForward(61) })
      await vi.waitFor(() => expect(party.told).toHaveLength(1), { timeout: patience })
      await vi.waitFor(async () => expect((await at.run("logout", "status")).out).toContain("All logout tokens are delivered"), {
        timeout: patience,
      })
    },
    240_000,
  )
})
