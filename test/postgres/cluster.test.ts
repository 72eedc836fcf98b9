import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { postern } from "../cli/run.ts"
import { postgresServer } from "../support/postgres.ts"
import { freePort, type RunningServer, start } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

// Processes of their own, and a database server.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const server = postgresServer()
const folder = mkdtempSync(join(tmpdir(), "postern-cluster-"))
const verifier = "v".repeat(43)
const secret = "correct horse battery staple"
const code = { redirect_uris: ["https://app.example/cb"], require_consent: false, client_secret: secret }
let servers: ReadonlyArray<RunningServer> = []
const at = (which: number): string => servers[which]?.url ?? ""

const config = (issuer: string, data: unknown): object => ({
  issuer,
  development: true,
  data,
  signing: { algorithms: ["RS256", "ES256"] },
  limits: { token_requests_per_client: 400 },
  resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  clients: [
    {
      client_id: "web",
      ...code,
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid offline_access",
      access_token_format: "reference",
    },
    { client_id: "hasty", client_secret: secret, grant_types: ["client_credentials"], response_types: [], scope: "api" },
    { client_id: "old", ...code, grant_types: ["password"], response_types: [], redirect_uris: [], scope: "openid" },
  ],
  users: ["alice", "bob"].map((username) => ({ username, password: "wonderland" })),
})

beforeAll(async () => {
  const url = await (await server()).database()
  const ports = [await freePort(), await freePort()]
  const issuer = `http://127.0.0.1:${ports[0]}`
  const file = join(folder, "postern.json")
  // The server asks for no password: this one only has to stay unseen.
  writeFileSync(join(folder, "url"), url.replace("postern@", "postern:hunter2@"))
  writeFileSync(file, JSON.stringify(config(issuer, { file: "url" })))
  servers = await Promise.all(
    ports.map((port) => start(["serve", "--config", file, "--port", String(port)], `http://127.0.0.1:${port}`, folder)),
  )
})
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()))
  rmSync(folder, { recursive: true, force: true })
})

const post = async (
  which: number,
  path: string,
  clientId: string,
  fields: Record<string, string>,
): Promise<{ status: number; json: Record<string, unknown> }> => {
  const authorization = `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}`
  const response = await fetch(`${at(which)}${path}`, { method: "POST", body: new URLSearchParams(fields), headers: { authorization } })
  const text = await response.text()
  return { status: response.status, json: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) }
}
const question = (which: number, changes: Record<string, string> = {}): string => {
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  const asked = { client_id: "web", redirect_uri: "https://app.example/cb", response_type: "code", scope: "openid offline_access" }
  const query = new URLSearchParams({
    ...asked,
    prompt: "consent",
    state: "st",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  })
  return `${at(which)}/connect/authorize?${query.toString()}`
}
const signedIn = async (which: number, browser = new Surfer()): Promise<string> =>
  (await browser.authorize(question(which), "alice", "wonderland")).searchParams.get("code") ?? ""
const redeem = (which: number, given: string) =>
  post(which, "/connect/token", "web", {
    grant_type: "authorization_code",
    code: given,
    redirect_uri: "https://app.example/cb",
    code_verifier: verifier,
  })
const refresh = (which: number, token: unknown) =>
  post(which, "/connect/token", "web", { grant_type: "refresh_token", refresh_token: String(token) })
const active = async (which: number, token: unknown): Promise<unknown> =>
  (await post(which, "/connect/introspect", "web", { token: String(token) })).json["active"]
const kids = async (which: number): Promise<ReadonlyArray<string>> => {
  const metadata = (await (await fetch(`${at(which)}/.well-known/openid-configuration`)).json()) as { jwks_uri: string }
  const { keys } = (await (await fetch(`${at(which)}${new URL(metadata.jwks_uri).pathname}`)).json()) as {
    keys: ReadonlyArray<{ kid: string }>
  }
  return keys.map(({ kid }) => kid).sort()
}

describe("two servers on one database", () => {
  it("started at once on an empty one, they have the same keys, one for each algorithm, and the same people", async () => {
    expect((await kids(0)).length).toBe(2)
    expect(await kids(1)).toEqual(await kids(0))
    const { out, code: exit } = await postern(["user", "list", "--json"], { cwd: folder })
    expect(exit).toBe(0)
    expect((JSON.parse(out) as ReadonlyArray<{ username: string }>).map(({ username }) => username)).toEqual(["alice", "bob"])
  })

  it("show their database's place, and its password nowhere", async () => {
    for (const { output } of servers) {
      expect(output()).toMatch(/data +postgres:\/\/postern@127\.0\.0\.1:\d+\/test_1/)
      expect(output()).not.toContain("hunter2")
    }
  })

  it("a code begun on one is redeemed on the other, and its tokens count on both (RFC 6749 §4.1.3)", async () => {
    const { status, json } = await redeem(1, await signedIn(0))
    expect(status).toBe(200)
    expect([await active(0, json["access_token"]), await active(1, json["access_token"])]).toEqual([true, true])
    const rotated = await refresh(0, json["refresh_token"])
    expect(rotated.status).toBe(200)
    expect((await post(1, "/connect/revocation", "web", { token: String(rotated.json["refresh_token"]) })).status).toBe(200)
    expect([await active(0, rotated.json["access_token"]), (await refresh(0, rotated.json["refresh_token"])).status]).toEqual([false, 400])
  })

  it("of sixteen redemptions at once, spread over both, exactly one succeeds, and what it got is revoked (RFC 6749 §4.1.2)", async () => {
    for (let round = 0; round < 5; round++) {
      const given = await signedIn(round % 2)
      const answers = await Promise.all(Array.from({ length: 16 }, (_, each) => redeem(each % 2, given)))
      const won = answers.filter(({ status }) => status === 200)
      expect([won.length, answers.filter(({ status, json }) => status === 400 && json["error"] === "invalid_grant").length]).toEqual([
        1, 15,
      ])
      expect([await active(0, won[0]?.json["access_token"]), await active(1, won[0]?.json["access_token"])]).toEqual([false, false])
    }
  })

  it("a session made on one is known on the other, and ended on one it is ended on both", async () => {
    const browser = new Surfer()
    await signedIn(0, browser)
    const silently = async (): Promise<URLSearchParams> =>
      new URL((await browser.follow(question(1, { prompt: "none", scope: "openid" }))).url).searchParams
    expect((await silently()).get("code")).toMatch(/^.{20,}$/)
    expect((await postern(["user", "passwd", "alice"], { cwd: folder, input: "wonderland" })).code).toBe(0)
    expect((await silently()).get("error")).toBe("login_required")
  })

  it("failed sign-ins count together: spread over both they are too many as soon as on one", async () => {
    const sign = (which: number, password: string) =>
      post(which, "/connect/token", "old", { grant_type: "password", username: "bob", password, scope: "openid" })
    expect((await sign(1, "wonderland")).status).toBe(200)
    for (let each = 0; each < 5; each++) expect((await sign(each % 2, "wrong")).status).toBe(400)
    expect((await Promise.all([sign(0, "wonderland"), sign(1, "wonderland")])).map(({ status }) => status)).not.toContain(200)
  })

  it("limits are counted together: what one lets through is not left on the other a moment later (RFC 6585 §4)", async () => {
    const statusOf = async (which: number): Promise<number> =>
      (await post(which, "/connect/token", "hasty", { grant_type: "client_credentials" })).status
    const passed = [0, 0]
    // Several at once: one after the other they may come no faster on a busy machine than the limit gives back, seven a second.
    const refused = async (which: number): Promise<boolean> => {
      const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(which)))
      passed[which] = (passed[which] ?? 0) + statuses.filter((status) => status === 200).length
      return statuses.includes(429)
    }
    while (!(await refused(0))) continue
    await expect.poll(() => refused(1), { interval: 20, timeout: 30_000 }).toBe(true)
    expect(passed[0]).toBeGreaterThanOrEqual(400)
    // By itself it would have let as many pass.
    expect(passed[1]).toBeLessThan(400)
  })

  it("a client removed at the command line is unknown to both a moment later", async () => {
    expect((await postern(["client", "remove", "old"], { cwd: folder })).code).toBe(0)
    for (const which of [0, 1]) {
      await expect
        .poll(async () => (await post(which, "/connect/token", "old", { grant_type: "password" })).status, { timeout: 10_000 })
        .toBe(401)
    }
  })

  it("without their database they answer 503 at once and go on with discovery and keys; when it is back so are they", async () => {
    const given = await signedIn(0)
    const { stop, start: restart } = await server()
    const before = await kids(1)
    await stop()
    const refused = await fetch(`${at(1)}/connect/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", client_id: "web", client_secret: secret }),
    })
    expect([refused.status, refused.headers.get("retry-after") !== null, (await refused.json()) as object]).toMatchObject([
      503,
      true,
      { error: "temporarily_unavailable" },
    ])
    expect(await kids(1)).toEqual(before)
    await restart()
    expect((await redeem(1, given)).status).toBe(200)
  })

  it("one of them stopped, the other goes on with what both had", async () => {
    const given = await signedIn(0)
    expect(await servers[0]?.stop()).toBe(0)
    expect((await redeem(1, given)).status).toBe(200)
  })
})
