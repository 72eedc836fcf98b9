import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import {
  type Pairs,
  codeFor,
  config,
  encode,
  formType,
  introspect,
  pause,
  post,
  redeem,
  refresh,
  refusal,
  refused,
  send,
  signedIn,
  spoilt,
  token,
  tokensFor,
  unsigned,
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

const path = "/connect/userinfo"
const machineToken = async (): Promise<string> =>
  String((await token(server, "machine", { grant_type: "client_credentials" })).json["access_token"])
const inactive = async (clientId: string, value: string): Promise<void> => {
  const { status, body, header } = await introspect(server, clientId, value)
  expect([status, body, header("cache-control")]).toEqual([200, '{"active":false}', "no-store"])
}
const revoke = (clientId: string, value: string, more: Readonly<Record<string, string>> = {}) =>
  post(server, "/connect/revocation", clientId, { token: value, ...more })

test("security-checklist, Userinfo: GET and POST, by header or form; the sub is the ID token's (OpenID Connect Core §5.3)", async () => {
  const { access } = await tokensFor(server, alice)
  const bearer: Pairs = [["authorization", `Bearer ${access}`]]
  for (const answer of [
    await send(server, "GET", path, bearer),
    await send(server, "POST", path, bearer),
    await send(server, "POST", path, [formType], encode({ access_token: access })),
  ])
    expect([answer.status, answer.json, answer.header("cache-control")]).toEqual([200, { sub: "sub-alice" }, "no-store"])
})

test("security-checklist, Userinfo: no token -> 401 Bearer with no error code (RFC 6750 §3.1)", async () => {
  for (const method of ["GET", "POST"]) {
    const { status, header } = await send(server, method, path)
    expect([status, header("www-authenticate")]).toEqual([
      401,
      'Bearer realm="postern", DPoP algs="ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512"',
    ])
  }
})

test("security-checklist, Userinfo: a bad, expired or revoked token -> 401 invalid_token (RFC 6750 §3.1)", async () => {
  const { access, refresh: mine } = await tokensFor(server, alice)
  const fleeting = await tokensFor(server, alice, "fleeting")
  await revoke("web", mine)
  await pause(2000)
  const live = (await tokensFor(server, alice)).access
  for (const value of [
    "x",
    "a.b.c",
    access,
    fleeting.access,
    spoilt(live),
    unsigned(live),
    `${live}x`,
    live.slice(0, -20),
    "x".repeat(8000),
  ]) {
    const { status, header, json } = await userinfo(server, value)
    expect([status, json["error"]]).toEqual([401, "invalid_token"])
    expect(header("www-authenticate")).toContain('error="invalid_token"')
  }
})

test("security-checklist, Userinfo: a token without openid -> 403 insufficient_scope (RFC 6750 §3.1)", async () => {
  const code = await codeFor(server, alice, "web", { scope: "api.read" })
  const { status, json, header } = await userinfo(server, String((await redeem(server, code)).json["access_token"]))
  expect([status, json["error"]]).toEqual([403, "insufficient_scope"])
  expect(header("www-authenticate")).toContain('scope="openid"')
})

test("security-checklist, Userinfo: a token sent two ways, twice, or in the URL -> 400 (RFC 6750 §2)", async () => {
  const { access } = await tokensFor(server, alice)
  const bearer = ["authorization", `Bearer ${access}`] as const
  const fields = encode({ access_token: access })
  for (const answer of [
    await send(server, "POST", path, [bearer, formType], fields),
    await send(server, "POST", path, [formType], `${fields}&${fields}`),
    await send(server, "GET", `${path}?${fields}`, [bearer]),
    await send(server, "GET", `${path}?${fields}`),
  ])
    expect([answer.status, answer.json["error"]]).toEqual([400, "invalid_request"])
})

test("security-checklist, Userinfo: bearer in any case; other schemes and two headers are refused (RFC 6750 §2.1)", async () => {
  const { access } = await tokensFor(server, alice)
  for (const scheme of ["bearer", "BEARER", "bEaReR"])
    expect((await send(server, "GET", path, [["authorization", `${scheme} ${access}`]])).status).toBe(200)
  for (const value of [`DPoP ${access}`, `Token ${access}`, access, `Bearer${access}`, `Bearer ${access} x`])
    expect([400, 401]).toContain((await send(server, "GET", path, [["authorization", value]])).status)
})

test("security-checklist, Userinfo: ID token, refresh token, code, a machine's token, a JWT for another audience -> 401 or 403 (RFC 9068 §4)", async () => {
  const { id, refresh: mine } = await tokensFor(server, alice)
  for (const value of [id, mine, await codeFor(server, alice)])
    expect([(await userinfo(server, value)).status, (await userinfo(server, value)).json["error"]]).toEqual([401, "invalid_token"])
  expect((await userinfo(server, await machineToken())).status).toBe(403)
  const narrowed = await redeem(server, await codeFor(server, alice, "web", { scope: "openid api.read" }), "web", {
    resource: "https://api.example",
  })
  expect((await userinfo(server, String(narrowed.json["access_token"]))).status).toBe(403)
})

test("security-checklist, Userinfo: claims only of granted scopes (OpenID Connect Core §5.4)", async () => {
  const claims = async (scope: string) => Object.keys((await userinfo(server, (await tokensFor(server, alice, "web", scope)).access)).json)
  expect(await claims("openid")).toEqual(["sub"])
  expect((await claims("openid email")).toSorted()).toEqual(["email", "email_verified", "sub"])
  expect((await claims("openid profile")).toSorted()).toEqual(["name", "sub"])
})

test("security-checklist, Revocation: 200 for known, already revoked and unknown; the answer is an empty JSON object, not text/plain (RFC 7009 §2.2)", async () => {
  const { refresh: mine } = await tokensFor(server, alice)
  for (const value of [mine, mine, "nonsense", "r_x", "\u0000"]) {
    const { status, body, header } = await revoke("web", value)
    expect([status, body, header("content-type"), header("cache-control")]).toEqual([200, "{}", "application/json", "no-store"])
  }
})

test("security-checklist, Revocation: a wrong hint still finds it; a refresh token revoked takes its access tokens (RFC 7009 §2.1)", async () => {
  for (const clientId of ["web", "opaque"]) {
    const { access, refresh: mine } = await tokensFor(server, alice, clientId)
    expect((await revoke(clientId, mine, { token_type_hint: "access_token" })).status).toBe(200)
    expect((await userinfo(server, access)).status).toBe(401)
    expect(refusal(await refresh(server, mine, clientId))).toEqual(refused("invalid_grant"))
    await inactive(clientId, access)
  }
})

test("security-checklist, Revocation: another client's token is answered 200 but is STILL LIVE (RFC 7009 §2.1)", async () => {
  const { access, refresh: mine } = await tokensFor(server, alice, "opaque")
  for (const thief of ["other", "spa", "api"]) for (const value of [access, mine]) expect((await revoke(thief, value)).status).toBe(200)
  expect((await userinfo(server, access)).status).toBe(200)
  expect((await refresh(server, mine, "opaque")).status).toBe(200)
})

test("security-checklist, Revocation: a JWT -> 400 unsupported_token_type, no token -> 400 invalid_request (RFC 7009 §2.2.1)", async () => {
  const { access } = await tokensFor(server, alice)
  expect(refusal(await revoke("web", access))).toEqual(refused("unsupported_token_type"))
  expect(refusal(await post(server, "/connect/revocation", "web", {}))).toEqual(refused("invalid_request"))
  expect((await userinfo(server, access)).status).toBe(200)
})

test("security-checklist, Revocation: no client authentication of a confidential client -> 401, and the token lives (RFC 7009 §2.1)", async () => {
  const { refresh: mine } = await tokensFor(server, alice)
  for (const client_id of ["web", undefined])
    expect(refusal(await post(server, "/connect/revocation", undefined, { token: mine, client_id }))).toEqual(
      refused("invalid_client", 401),
    )
  expect((await refresh(server, mine)).status).toBe(200)
})

test("security-checklist, Introspection: no auth, a wrong secret or a public client -> 401 (RFC 7662 §2.1)", async () => {
  const { access } = await tokensFor(server, alice, "spa")
  const bad: Pairs = [["authorization", `Basic ${Buffer.from("web:wrong").toString("base64")}`]]
  for (const answer of [
    await post(server, "/connect/introspect", undefined, { token: access }),
    await post(server, "/connect/introspect", undefined, { token: access }, bad),
    await introspect(server, "spa", access),
    await send(server, "POST", "/connect/introspect", [formType, ["authorization", `Bearer ${access}`]], encode({ token: access })),
  ])
    expect(refusal(answer)).toEqual(refused("invalid_client", 401))
})

test('security-checklist, Introspection: dead, unknown, or another resource server\'s -> 200 exactly {"active":false} (RFC 7662 §2.2, §4)', async () => {
  const { access, refresh: mine, id } = await tokensFor(server, alice, "opaque", "openid offline_access api.read")
  expect((await introspect(server, "api", access)).json).toMatchObject({ active: true, sub: "sub-alice", client_id: "opaque" })
  for (const value of [access, await machineToken()]) await inactive("billing", value)
  for (const value of ["x", "a.b.c", mine, id, spoilt(await machineToken()), unsigned(await machineToken())]) await inactive("api", value)
  await inactive("other", access)
  await revoke("opaque", access)
  for (const asker of ["opaque", "api"]) await inactive(asker, access)
})
