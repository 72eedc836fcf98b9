import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import { ask, claimsOf, config, headOf, introspect, send, signedIn, token, tokensFor } from "./setting.ts"

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

const paths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]
const metadata = async (): Promise<Readonly<Record<string, unknown>>> => (await send(server, "GET", paths[0] ?? "")).json
const listed = async (name: string): Promise<ReadonlyArray<string>> => (await metadata())[name] as ReadonlyArray<string>
const keys = async (): Promise<ReadonlyArray<Record<string, unknown>>> =>
  (await send(server, "GET", "/.well-known/openid-configuration/jwks")).json["keys"] as ReadonlyArray<Record<string, unknown>>

test("security-checklist, Metadata and keys: issuer is the configured one byte for byte at both paths, whatever Host and Forwarded say (RFC 8414 §3.3)", async () => {
  const lies = [
    ["host", "evil.example"],
    ["x-forwarded-host", "evil.example"],
    ["x-forwarded-proto", "https"],
    ["x-forwarded-port", "444"],
    ["x-forwarded-prefix", "/evil"],
    ["x-original-url", "/evil"],
    ["forwarded", "host=evil.example;proto=https"],
  ] as const
  for (const path of paths) {
    const answer = await send(server, "GET", path, lies)
    expect([answer.status, answer.json["issuer"], answer.body.includes("evil")]).toEqual([200, server.url, false])
    expect(answer.json).toEqual(await metadata())
  }
})

test("security-checklist, Metadata and keys: an absolute request target of another host changes nothing (RFC 9112 §3.2.2)", async () => {
  const answer = await send(server, "GET", `http://evil.example${paths[0] ?? ""}`, [["host", "evil.example"]])
  expect([answer.status, answer.json["issuer"]]).toEqual([200, server.url])
})

test("security-checklist, Metadata and keys: every member whose default would lie is stated (OpenID Connect Discovery §3)", async () => {
  const document = await metadata()
  expect(document).toMatchObject({
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    claims_parameter_supported: true,
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"],
    response_modes_supported: ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"],
    authorization_response_iss_parameter_supported: true,
  })
  for (const name of ["grant_types_supported", "response_types_supported", "scopes_supported", "claims_supported"])
    expect(document[name]).toBeInstanceOf(Array)
})

test("security-checklist, Metadata and keys: ui_locales_supported names the languages of the pages (OpenID Connect Discovery §3)", async () => {
  expect((await listed("ui_locales_supported")).toSorted()).toEqual(["de", "en", "es", "fr", "ja", "pt", "pt-PT"])
})

test("security-checklist, Metadata and keys: code_challenge_methods_supported is there and S256 in it (RFC 9700 §2.1.1)", async () => {
  expect(await listed("code_challenge_methods_supported")).toContain("S256")
})

test("security-checklist, Metadata and keys: authorization_response_iss_parameter_supported is true and iss comes (RFC 9207 §3)", async () => {
  expect((await metadata())["authorization_response_iss_parameter_supported"]).toBe(true)
  expect((await ask(server, alice)).params["iss"]).toBe(server.url)
})

test("security-checklist, Metadata and keys: RS256 signs ID tokens (OpenID Connect Discovery §3)", async () => {
  expect(await listed("id_token_signing_alg_values_supported")).toContain("RS256")
  expect(headOf((await tokensFor(server, alice)).id)["alg"]).toBe("RS256")
})

test("security-checklist, Metadata and keys: every stated endpoint is below the issuer and answers (RFC 8414 §2)", async () => {
  const stated = Object.entries(await metadata()).filter(([name]) => name.endsWith("_endpoint") || name === "jwks_uri")
  expect(stated.length).toBeGreaterThanOrEqual(7)
  for (const [, url] of stated) {
    expect(String(url).startsWith(`${server.url}/`)).toBe(true)
    expect((await send(server, "GET", new URL(String(url)).pathname)).status).not.toBe(404)
  }
})

test("security-checklist, Metadata and keys: every stated grant type is known, and nothing unstated works (OpenID Connect Discovery §3)", async () => {
  const stated = await listed("grant_types_supported")
  const names = [
    ...stated.filter((name) => name !== "implicit"),
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "urn:openid:params:grant-type:ciba",
    "implicit",
    "PASSWORD",
  ]
  for (const grant_type of names) {
    const { json } = await token(server, "api", { grant_type })
    expect([grant_type, json["error"]]).toEqual([
      grant_type,
      stated.includes(grant_type) && grant_type !== "implicit" ? "unauthorized_client" : "unsupported_grant_type",
    ])
  }
})

test("security-checklist, Metadata and keys: every stated response type works, and nothing unstated (OpenID Connect Discovery §3)", async () => {
  const stated = await listed("response_types_supported")
  expect(stated.length).toBeGreaterThan(0)
  for (const response_type of stated) {
    const scope = response_type === "token" ? "api.read" : "openid"
    const { params } = await ask(server, alice, { response_type, scope, nonce: "n" }, "hybrid")
    const given = ["code", "id_token", "token"].filter((word) => params[word === "token" ? "access_token" : word] !== undefined)
    expect(given.join(" ")).toBe(response_type)
  }
  for (const response_type of ["none", "CODE", "code none", "device", "code,token"])
    expect((await ask(server, alice, { response_type, nonce: "n" }, "hybrid")).params["error"]).toBe("unsupported_response_type")
})

test("security-checklist, Metadata and keys: every stated response mode works, and nothing unstated (OAuth 2.0 Multiple Response Types §2.1)", async () => {
  for (const response_mode of await listed("response_modes_supported")) {
    const { params } = await ask(server, alice, { response_mode })
    // A response as a JWT has its parameters in that alone (JARM §2.3).
    const told = response_mode.endsWith("jwt") ? claimsOf(params["response"] ?? "") : params
    expect(told["code"]).toMatch(/^c_/)
  }
  for (const response_mode of ["JWT", "code.jwt", "web_message", "Query", "none"])
    expect((await ask(server, alice, { response_mode })).params["error"]).toBe("invalid_request")
})

test("security-checklist, Metadata and keys: nothing that is not stated answers (RFC 8414 §2)", async () => {
  const stated = Object.values(await metadata()).map(String)
  for (const path of ["/connect/par", "/connect/register", "/connect/ciba", "/connect/checksession"]) {
    if (stated.includes(server.url + path)) continue
    expect((await send(server, "POST", path, [["content-type", "application/json"]], "{}")).status).toBe(404)
  }
})

test("security-checklist, Metadata and keys: the JWKS holds no private member (RFC 7517 §9.2)", async () => {
  for (const key of await keys()) for (const secret of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) expect(key).not.toHaveProperty(secret)
})

test("security-checklist, Metadata and keys: each key has kid, alg and use, and no kid twice (RFC 7517 §4)", async () => {
  const all = await keys()
  expect(all.length).toBeGreaterThan(0)
  for (const key of all) expect(key).toMatchObject({ kid: expect.any(String), alg: expect.any(String), use: "sig" })
  expect(new Set(all.map(({ kid }) => kid)).size).toBe(all.length)
})

test("security-checklist, Metadata and keys: the kid of every token is in the JWKS, under its alg (RFC 7515 §4.1.4)", async () => {
  const all = await keys()
  const { access, id } = await tokensFor(server, alice)
  for (const jwt of [access, id]) {
    const { kid, alg } = headOf(jwt)
    expect(all.filter((key) => key["kid"] === kid && key["alg"] === alg)).toHaveLength(1)
  }
})

test("security-checklist, Metadata and keys: documents may be read by every origin and cached; nothing else about the caller is in them (RFC 8414 §3)", async () => {
  for (const path of [...paths, "/.well-known/openid-configuration/jwks"]) {
    const answer = await send(server, "GET", path, [["origin", "https://spa.example"]])
    expect([answer.header("access-control-allow-origin"), answer.header("access-control-allow-credentials")]).toEqual(["*", undefined])
    expect([answer.header("content-type"), answer.header("set-cookie")]).toEqual(["application/json", undefined])
  }
})

test("security-checklist, Metadata and keys: every stated secret method authenticates (RFC 8414 §2)", async () => {
  const fields = { grant_type: "client_credentials" }
  expect((await token(server, "machine", fields)).status).toBe(200)
  const posted = await token(server, undefined, { ...fields, client_id: "machine", client_secret: "secret of machine" })
  expect([posted.status, claimsOf(String(posted.json["access_token"]))["iss"]]).toEqual([200, server.url])
  expect((await introspect(server, "api", String(posted.json["access_token"]))).json).toMatchObject({ active: true, client_id: "machine" })
})
