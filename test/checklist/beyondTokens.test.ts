import { cookieName } from "@postern/core/wire"
import { createHmac, createPublicKey } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import {
  type Pairs,
  ask,
  claimsOf,
  codeFor,
  config,
  cookieOf,
  encode,
  formType,
  headOf,
  hiddenOf,
  introspect,
  password,
  redeem,
  refresh,
  refusal,
  refused,
  request,
  send,
  signedIn,
  token,
  tokensFor,
  userinfo,
} from "./setting.ts"

let server: RunningServer
let alice: Surfer
beforeAll(async () => {
  server = await serve(config)
  alice = await signedIn(server)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const grantError = refused("invalid_grant")
const json = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const jwks = async (): Promise<ReadonlyArray<Record<string, string>>> =>
  (await send(server, "GET", "/.well-known/openid-configuration/jwks")).json["keys"] as ReadonlyArray<Record<string, string>>

/** Forgeries of a JWT: signed with what is public, or pointing at a key of the forger's. */
const forgeries = async (jwt: string): Promise<ReadonlyArray<string>> => {
  const head = headOf(jwt)
  const key = (await jwks()).find(({ kid }) => kid === head["kid"]) ?? {}
  const payload = json({ ...claimsOf(jwt), sub: "sub-bob" })
  const pem = createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" })
  const hmac = (secret: string, more: object): string => {
    const input = `${json({ ...head, ...more })}.${payload}`
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
  }
  const signature = jwt.split(".")[2] ?? ""
  return [
    hmac(pem.toString(), { alg: "HS256" }),
    hmac(JSON.stringify(key), { alg: "HS256" }),
    hmac("", { alg: "HS256", kid: "../../../../dev/null" }),
    hmac("", { alg: "HS256", kid: "' UNION SELECT ''--" }),
    hmac("x", { alg: "HS256", jku: `${server.url}/evil`, x5u: `${server.url}/evil` }),
    hmac("x", { alg: "HS256", jwk: { kty: "oct", k: "eA" } }),
    ...["none", "None", "NONE", "nOnE", ""].map((alg) => `${json({ ...head, alg })}.${payload}.`),
    `${json({ ...head, alg: "none" })}.${payload}.${signature}`,
    `${json({ ...head, alg: "ES256" })}.${payload}.${Buffer.alloc(64).toString("base64url")}`,
    `${jwt.split(".")[0] ?? ""}.${payload}.${signature}`,
    `${json({ ...head, crit: ["exp"] })}.${payload}.${signature}`,
  ]
}

test("security-checklist, Beyond: algorithm confusion: an access token signed with what is public, or by a key it brings along, is none (RFC 8725 §2.1, §3.1)", async () => {
  for (const forged of await forgeries((await tokensFor(server, alice)).access)) {
    const answer = await userinfo(server, forged)
    expect([answer.status, answer.json["error"]]).toEqual([401, "invalid_token"])
    expect((await introspect(server, "web", forged)).body).toBe('{"active":false}')
  }
})

test("security-checklist, Beyond: algorithm confusion: a forged id_token_hint is an error at authorize and at logout (RFC 8725 §3.1)", async () => {
  for (const id_token_hint of await forgeries((await tokensFor(server, alice)).id)) {
    const asked = await ask(server, alice, { prompt: "none", id_token_hint })
    expect([asked.to, asked.params["error"]]).toEqual(["https://app.example/cb", "invalid_request"])
    expect((await send(server, "GET", `/connect/endsession?${encode({ id_token_hint })}`, [cookieOf(alice)])).status).toBe(400)
  }
  expect((await ask(server, alice, { prompt: "none" })).params["code"]).toMatch(/^c_/)
})

test("security-checklist, Beyond: PKCE downgrade: a challenge that was sent is owed a verifier, of a client that need not use PKCE too (RFC 9700 §4.8.2)", async () => {
  for (const code_verifier of [undefined, ""])
    expect(refusal(await redeem(server, await codeFor(server, alice, "old"), "old", { code_verifier }))).toEqual(grantError)
})

test("security-checklist, Beyond: PKCE: plain where S256 was asked, the challenge of a plain one by S256, are no proof (RFC 7636 §4.6)", async () => {
  const code = await codeFor(server, alice, "plain", { code_challenge: "p".repeat(43), code_challenge_method: "plain" })
  expect(refusal(await redeem(server, code, "plain", { code_verifier: "v".repeat(43), code_challenge_method: "S256" }))).toEqual(grantError)
})

test("security-checklist, Beyond: a consent form cannot allow more than was asked (RFC 6749 §3.3)", async () => {
  const bob = await signedIn(server, "bob")
  const { body } = await ask(server, bob, { scope: "openid email" }, "asks")
  const more: Pairs = ["openid", "api.write", "offline_access", "billing", "nonsense"].map((scope) => ["scope", scope])
  const fields: Pairs = [...hiddenOf(body), ["decision", "allow"], ...more]
  const answer = await send(server, "POST", "/consent", [formType, cookieOf(bob)], encode(fields))
  expect(answer.status).toBe(303)
  const { json: issued } = await redeem(server, answer.params["code"] ?? "", "asks")
  expect([issued["scope"], issued["refresh_token"]]).toEqual(["openid", undefined])
})

test("security-checklist, Beyond: an answered interaction that is resumed gives the one code it has to its own browser and session alone (RFC 9700 §4.7.1, RFC 6749 §4.1.2)", async () => {
  const browser = new Surfer()
  const at = await browser.follow(`${server.url}/connect/authorize?${encode(request())}`)
  const hidden = hiddenOf(await at.response.text())
  const fields: Pairs = [...hidden, ["username", "alice"], ["password", password]]
  await browser.go(`${server.url}/login`, { method: "POST", body: new URLSearchParams(encode(fields)) })
  const location = `/connect/authorize/resume?${encode(hidden.filter(([name]) => name === "interaction"))}`
  const resumed = await Promise.all(Array.from({ length: 4 }, () => send(server, "GET", location, [cookieOf(browser)])))
  const codes = resumed.flatMap(({ params }) => params["code"] ?? [])
  expect(codes.length).toBeGreaterThanOrEqual(1)
  expect(new Set(codes).size).toBe(1)
  expect((await send(server, "GET", location, [cookieOf(alice)])).status).toBe(400)
  browser.cookies.delete(cookieName("session", server.url))
  const signedOut = await send(server, "GET", location, [cookieOf(browser)])
  expect([signedOut.status, signedOut.to, signedOut.params["code"]]).toEqual([400, undefined, undefined])
})

test("security-checklist, Beyond: of many refreshes at once without a grace, one at most succeeds, and the family dies (RFC 9700 §4.14.2)", async () => {
  const first = await tokensFor(server, alice, "strict")
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(server, first.refresh, "strict")))
  const won = answers.filter(({ status }) => status === 200)
  expect(won.length).toBeLessThanOrEqual(1)
  for (const { json: issued } of won) expect(refusal(await refresh(server, String(issued["refresh_token"]), "strict"))).toEqual(grantError)
})

test("security-checklist, Beyond: within the grace many refreshes at once get one and the same successor (RFC 9700 §4.14.2)", async () => {
  const first = await tokensFor(server, alice)
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(server, first.refresh)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ json: issued }) => issued["refresh_token"])).size).toBe(1)
})

test("security-checklist, Beyond: scopes are words apart by spaces, in their own case, and nothing else (RFC 6749 §3.3)", async () => {
  for (const scope of [
    "api.read\tapi.write",
    "api.read\napi.write",
    "api.read,api.write",
    "API.READ",
    "api.read\u00a0api.write",
    "api.*",
    "*",
  ])
    expect(refusal(await token(server, "machine", { grant_type: "client_credentials", scope }))).toEqual(refused("invalid_scope"))
})

test("security-checklist, Beyond: a client_id is itself by character, space and NUL and all (RFC 6749 §2.2)", async () => {
  for (const client_id of [" machine", "machine ", "Machine", "machine\u0000", "machine\n", "mach\u0131ne", "machine%00", "%6dachine"]) {
    const answer = await token(server, undefined, { grant_type: "client_credentials", client_id, client_secret: "secret of machine" })
    expect(refusal(answer)).toEqual(refused("invalid_client", 401))
  }
})

test("security-checklist, Beyond: the lock of an account is not picked by another spelling of its name, nor by X-Forwarded-For (RFC 9700 §4.7)", async () => {
  const asked = async (username: string, given: string, from: string) => {
    const fields = { grant_type: "password", username, password: given, scope: "openid" }
    return token(server, "ropc", fields, [
      ["x-forwarded-for", from],
      ["forwarded", `for=${from}`],
    ])
  }
  for (let turn = 0; turn < 6; turn++) await asked("carol", "wrong", `198.51.100.${turn}`)
  for (const [at, username] of ["carol", "CAROL", " carol", "carol ", "Carol", "\uff43arol"].entries())
    expect([username, (await asked(username, password, `203.0.113.${at}`)).status]).toEqual([username, 429])
  expect((await asked("carol\u0000", password, "203.0.113.9")).status).toBe(400)
})

test("security-checklist, Beyond: metrics are not told to callers that a proxy passes on (RFC 9110 §17)", async () => {
  for (const name of ["x-forwarded-for", "forwarded"])
    expect([403, 404]).toContain((await send(server, "GET", "/metrics", [[name, "203.0.113.7"]])).status)
})
