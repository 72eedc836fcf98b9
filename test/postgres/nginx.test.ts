import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { postgresServer } from "../support/postgres.ts"
import { freePort, type RunningServer, start } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { type Nginx, nginxThere, startNginx } from "./nginx/nginx.ts"

const database = postgresServer()
const verifier = "v".repeat(43)
const secret = "correct horse battery staple"
const redirectUri = "https://app.example/cb"

const config = (issuer: string, data: string): object => ({
  issuer,
  development: true,
  data,
  trusted_proxies: ["127.0.0.1"],
  signing: { algorithms: ["RS256", "ES256"] },
  clients: [
    {
      client_id: "web",
      client_secret: secret,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      scope: "openid offline_access",
      access_token_format: "reference",
    },
    { client_id: "old", client_secret: secret, grant_types: ["password"], response_types: [], redirect_uris: [], scope: "openid" },
  ],
  users: ["alice", "bob", "carol"].map((username) => ({ username, password: "wonderland" })),
})

describe.skipIf(!nginxThere).each([2, 4])("%i servers on one database, behind nginx", { timeout: 120_000 }, (count) => {
  const folder = mkdtempSync(join(tmpdir(), "postern-behind-nginx-"))
  let servers: ReadonlyArray<RunningServer> = []
  let ports: ReadonlyArray<number> = []
  let nginx: Nginx
  let url = ""

  beforeAll(async () => {
    const free = new Set<number>()
    while (free.size <= count) free.add(await freePort())
    const [front = 0, ...behind] = free
    ports = behind
    url = `http://127.0.0.1:${front}`
    const file = join(folder, "postern.json")
    writeFileSync(file, JSON.stringify(config(url, await (await database()).database())))
    servers = await Promise.all(
      ports.map((port) => start(["serve", "--config", file, "--port", String(port)], `http://127.0.0.1:${port}`, folder)),
    )
    nginx = await startNginx(front, ports)
  }, 180_000)
  afterAll(async () => {
    await nginx?.stop()
    await Promise.all(servers.map(({ stop }) => stop()))
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs something and answers its result with the servers it met, as nginx tells. */
  const met = async <A>(run: () => Promise<A>): Promise<{ readonly result: A; readonly ports: ReadonlySet<number> }> => {
    const before = nginx.passed().length
    const result = await run()
    return {
      result,
      ports: new Set(
        nginx
          .passed()
          .slice(before)
          .flatMap((each) => each.ports),
      ),
    }
  }
  const post = async (
    path: string,
    fields: Record<string, string>,
    clientId = "web",
  ): Promise<{ status: number; json: Record<string, unknown> }> => {
    const authorization = `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}`
    const response = await fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams(fields), headers: { authorization } })
    const text = await response.text()
    return { status: response.status, json: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }
  const question = (changes: Record<string, string> = {}): string => {
    const query = new URLSearchParams({
      client_id: "web",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid offline_access",
      state: "st",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...changes,
    })
    return `${url}/connect/authorize?${query.toString()}`
  }
  const signedIn = async (browser = new Surfer(), username = "alice"): Promise<string> =>
    (await browser.authorize(question(), username, "wonderland")).searchParams.get("code") ?? ""
  const redeem = (code: string) =>
    post("/connect/token", { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier })
  const silently = async (browser: Surfer): Promise<URLSearchParams> =>
    new URL((await browser.follow(question({ prompt: "none" }))).url).searchParams
  const active = async (token: unknown): Promise<unknown> => (await post("/connect/introspect", { token: String(token) })).json["active"]
  /** Asks every server in turn, once or more. */
  const everywhere = async (ask: () => Promise<unknown>): Promise<ReadonlyArray<unknown>> => {
    const { result, ports: asked } = await met(async () => {
      const answers: Array<unknown> = []
      for (let each = 0; each < 2 * count; each++) answers.push(await ask())
      return answers
    })
    expect(asked).toEqual(new Set(ports))
    return [...new Set(result)]
  }

  it("a sign-in, consent and code that take turns between the servers come to tokens that count on each (RFC 6749 §4.1)", async () => {
    const { result: code, ports: asked } = await met(() => signedIn())
    expect(asked.size).toBeGreaterThan(1)
    const { status, json } = await redeem(code)
    expect(status).toBe(200)
    expect(await everywhere(() => active(json["access_token"]))).toEqual([true])
    const rotated = await post("/connect/token", { grant_type: "refresh_token", refresh_token: String(json["refresh_token"]) })
    expect(rotated.status).toBe(200)
    expect((await post("/connect/revocation", { token: String(rotated.json["refresh_token"]) })).status).toBe(200)
    expect(await everywhere(() => active(rotated.json["access_token"]))).toEqual([false])
  })

  it("of sixteen redemptions at once, spread over all of them, exactly one succeeds, and what it got is revoked (RFC 6749 §4.1.2)", async () => {
    for (let round = 0; round < 6; round++) {
      const code = await signedIn()
      const { result: answers, ports: asked } = await met(() => Promise.all(Array.from({ length: 16 }, () => redeem(code))))
      expect(asked).toEqual(new Set(ports))
      const won = answers.filter(({ status }) => status === 200)
      const lost = answers.filter(({ status, json }) => status === 400 && json["error"] === "invalid_grant")
      expect([won.length, lost.length]).toEqual([1, 15])
      expect(await everywhere(() => active(won[0]?.json["access_token"]))).toEqual([false])
    }
  })

  it("of sixteen refreshes at once one rotates, and the others are given the same successor (RFC 9700 §4.14.2)", async () => {
    const { json } = await redeem(await signedIn())
    const refresh = (token: unknown) => post("/connect/token", { grant_type: "refresh_token", refresh_token: String(token) })
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(json["refresh_token"])))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const successors = new Set(answers.map((answer) => answer.json["refresh_token"]))
    expect(successors.size).toBe(1)
    expect((await refresh([...successors][0])).status).toBe(200)
  })

  it("a session and a consent are known to each, withdrawn and ended they are so on each (OpenID Connect Core §3.1.2.1)", async () => {
    const browser = new Surfer()
    expect(await signedIn(browser, "bob")).not.toBe("")
    expect(await everywhere(async () => (await silently(browser)).has("code"))).toEqual([true])
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await browser.follow(`${url}/`)).response.text())?.[1] ?? ""
    const body = new URLSearchParams({ csrf, client_id: "web" })
    expect((await browser.go(`${url}/consents/withdraw`, { method: "POST", body })).status).toBe(303)
    expect(await everywhere(async () => (await silently(browser)).get("error"))).toEqual(["consent_required"])
    const page = await browser.follow(`${url}/logout`)
    const cookies = new Map(browser.cookies)
    expect(await (await browser.submit(await page.response.text(), page.url, {})).response.text()).toContain('id="logged-out"')
    // A browser that kept its cookies is signed out all the same.
    const kept = new Surfer()
    for (const [name, value] of cookies) kept.cookies.set(name, value)
    expect(await everywhere(async () => (await silently(kept)).get("error"))).toEqual(["login_required"])
  })

  it("a device asks one, is allowed at another and gets its tokens from one of them, once (RFC 8628 §3.4)", async () => {
    const { json } = await post("/connect/deviceauthorization", { scope: "openid" })
    const browser = new Surfer()
    await signedIn(browser, "alice")
    const at = await browser.follow(`${url}/device?user_code=${String(json["user_code"])}`)
    const done = await browser.submit(await at.response.text(), at.url, { decision: "allow" })
    expect(await done.response.text()).toContain("device-approved")
    const fields = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: String(json["device_code"]) }
    const answers = await Promise.all(Array.from({ length: 16 }, () => post("/connect/token", fields)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ status }) => status))).toEqual(new Set([400]))
  })

  it("failed sign-ins count together, whichever server they meet and whatever address the caller claims to come from", async () => {
    const sign = (password: string, forwarded: string) =>
      fetch(`${url}/connect/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`old:${encodeURIComponent(secret)}`)}`, "x-forwarded-for": forwarded },
        body: new URLSearchParams({ grant_type: "password", username: "carol", password, scope: "openid" }),
      })
    expect((await sign("wonderland", "203.0.113.1")).status).toBe(200)
    for (let each = 0; each < 5; each++) expect((await sign("wrong", `203.0.113.${each}`)).status).toBe(400)
    const after = await Promise.all(Array.from({ length: 2 * count }, () => sign("wonderland", "203.0.113.9")))
    expect(after.map(({ status }) => status)).not.toContain(200)
  })

  it("metrics of the servers are not shown through it", async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
  })

  it("with one of them killed nobody is answered less: what takes no connection is passed over, and codes are redeemed by the others", async () => {
    const codes = [await signedIn(), await signedIn(), await signedIn()]
    servers[0]?.process.kill("SIGKILL")
    await expect.poll(() => servers[0]?.process.signalCode).toBe("SIGKILL")
    expect((await Promise.all(codes.map(redeem))).map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
