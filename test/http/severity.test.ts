import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { logTrails } from "@postern/adapter-http"
import { ruleTables } from "@postern/core"
import type { Trail } from "@postern/core/model"
import { describe, expect, it } from "vitest"
import { keptLog } from "./server.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A trail that one rule stopped. */
const stopped = (rule: string, answer: string, outcome: string, status: number): Trail => ({
  requestId: "r1",
  at: 1,
  endpoint: "any",
  steps: [{ table: "any", passed: [], refused: { rule, cites: "RFC 6749 §5.2", answer, reason: "why" } }],
  outcome,
  status,
})

const lineOf = async (trail: Trail) => {
  const log = keptLog("debug")
  const trails = logTrails({ log })
  trails.record(() => trail, true)
  trails.answered({ headers: [["x-request-id", trail.requestId]] }, 1)
  const [line] = await log.lines()
  return line
}

describe("the level of a request in the log", () => {
  it.for([
    ["a person who has to sign in first", "info", stopped("person.signed-in", "login_required", "Go", 303)],
    ["a person who is asked for consent", "info", stopped("consent.given", "consent_required", "Show", 200)],
    ["prompt=none without a session", "info", stopped("person.signed-in", "login_required", "SendBack", 303)],
    ["a wrong password", "info", stopped("login.verified", "refused", "Show", 200)],
    ["a device whose person has not answered", "debug", stopped("device.approved", "authorization_pending", "RefuseJson", 400)],
    ["a wrong client secret", "warn", stopped("client.secret-matches", "invalid_client", "RefuseJson", 401)],
    ["an unknown client", "warn", stopped("client.known", "invalid_client", "RefuseJson", 401)],
    ["too many passwords", "warn", stopped("login.account-attempts", "refused", "Show", 429)],
    ["too many requests", "warn", stopped("rate.client", "temporarily_unavailable", "RefuseJson", 429)],
    ["a replayed code", "warn", stopped("code.unused", "invalid_grant", "RefuseJson", 400)],
    ["a replayed refresh token", "warn", stopped("refresh.unrotated", "invalid_grant", "RefuseJson", 400)],
    ["an expired code", "info", stopped("code.fresh", "invalid_grant", "RefuseJson", 400)],
    ["a token that does not hold", "info", stopped("userinfo.token-present", "invalid_token", "RefuseBearer", 401)],
    ["a store that failed", "error", { ...stopped("code.known", "server_error", "PortFailed", 503), fault: "TokenStore.commit" }],
    ["a transfer coding that is not implemented", "info", stopped("http.transfer-coding", "invalid_request", "Refuse", 501)],
    ["an answer of 500", "error", stopped("device.known", "server_error", "Show", 500)],
  ] as const)("of %s is %s", async ([, level, trail]) => {
    expect(await lineOf(trail)).toMatchObject({ level, message: "request", reason: "why" })
  })

  it("a step of a sign-in has no error, and says what the person was asked for (OpenID Connect Core §3.1.2.3)", async () => {
    const asked = await lineOf(stopped("person.signed-in", "login_required", "Go", 303))
    expect([asked?.["asked"], asked?.["error"]]).toEqual(["login", undefined])
    const told = await lineOf(stopped("person.signed-in", "login_required", "SendBack", 303))
    expect([told?.["asked"], told?.["error"]]).toEqual([undefined, "login_required"])
    expect(await lineOf(stopped("login.verified", "refused", "Show", 200))).not.toHaveProperty("error")
  })

  it("names rules that there are", () => {
    const rules = new Set(ruleTables.flatMap((table) => table.rules.map(({ id }) => id)))
    const named = [...readFileSync(`${root}packages/adapter-http/src/severity.ts`, "utf8").matchAll(/"([a-z-]+\.[a-z-]+)"/g)].map(
      ([, id]) => id ?? "",
    )
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((id) => !rules.has(id))).toEqual([])
  })
})

describe("docs/operating.md", () => {
  it("lists every message of the log", () => {
    const sources = ["packages/adapter-http/src", "packages/cli/src"].flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(`${root}${folder}/${file}`, "utf8")),
    )
    // Every text in the first two arguments of a line but the levels themselves.
    const calls = sources.flatMap((text) => [...text.matchAll(/(?:log\.line|spell)\(([^{]*?)(?:\{|\))/gs)].map(([, args]) => args ?? ""))
    const levels = new Set(["debug", "info", "warn", "error"])
    const messages = new Set(
      calls.flatMap((args) => [...args.matchAll(/"([^"]+)"/g)].map(([, text]) => text ?? "")).filter((text) => !levels.has(text)),
    )
    expect(messages.size).toBeGreaterThan(15)
    const page = readFileSync(`${root}docs/operating.md`, "utf8")
    const table = page.slice(page.indexOf("## Log messages"), page.indexOf("## Changing the configuration"))
    expect([...messages].filter((message) => !table.includes(`\`${message}\``))).toEqual([])
  })
})
