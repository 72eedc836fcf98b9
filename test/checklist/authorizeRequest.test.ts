import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { type Pairs, ask, askPairs, codeFor, config, encode, formType, redeem, request, send, signedIn } from "./setting.ts"

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

type Changes = Readonly<Record<string, string | undefined>>

/** A page of ours with 400, and no redirect. */
const refusedWithPage = async (pairs: Pairs): Promise<void> => {
  for (const answer of [await send(server, "GET", `/connect/authorize?${encode(pairs)}`), await askPairs(server, alice, pairs)]) {
    expect([answer.status, answer.to, answer.header("content-type")]).toEqual([400, undefined, "text/html; charset=utf-8"])
    expect(answer.body).toContain('id="op-error"')
    expect(answer.body).not.toContain("evil")
  }
}

/** The error that comes back to the client, with its state and iss. */
const errorOf = async (changes: Changes, clientId = "web", more: Pairs = []): Promise<string | undefined> => {
  const answer = await askPairs(server, alice, [...request(clientId, changes), ...more])
  expect(answer.to).toBe(clientId === "native" ? "http://127.0.0.1/cb" : "https://app.example/cb")
  expect([answer.status, answer.params["state"], answer.params["iss"]]).toEqual([303, "st", server.url])
  expect(answer.params["code"]).toBeUndefined()
  return answer.params["error"]
}

const worse: Changes = { response_type: "nonsense", scope: undefined, prompt: "none" }

for (const [title, pairs] of [
  ["unknown client", request("nobody", worse)],
  ["no client", request("web", { ...worse, client_id: undefined })],
  ["client_id in another case", request("web", { ...worse, client_id: "WEB" })],
  ["client_id twice", [...request("web", worse), ["client_id", "web"]]],
  ["missing redirect_uri", request("web", { ...worse, redirect_uri: undefined })],
  ["unregistered redirect_uri", request("web", { ...worse, redirect_uri: "https://evil.example/cb" })],
  ["redirect_uri twice, one of them right", [...request("web", worse), ["redirect_uri", "https://evil.example/cb"]]],
  ["redirect_uri twice, the same", [...request("web", worse), ["redirect_uri", "https://app.example/cb"]]],
] satisfies ReadonlyArray<readonly [string, Pairs]>)
  test(`security-checklist, Authorize: ${title} -> 400 page, no Location, even with other faults (RFC 6749 §4.1.2.1)`, () =>
    refusedWithPage(pairs))

test("security-checklist, Authorize: redirect_uri matching is string equality (RFC 9700 §2.1)", async () => {
  for (const redirect_uri of [
    "https://app.example/cb/",
    "https://app.example/cb?",
    "https://app.example/cb#",
    "https://app.example/cb?tab=1&x=evil",
    "https://app.example/CB",
    "HTTPS://app.example/cb",
    "https://APP.example/cb",
    "https://app.example:443/cb",
    "https://app.example./cb",
    "https://app.example/%63b",
    "https://app.example/x/../cb",
    "https://app.example\\@evil.example/cb",
    "https://app.example@evil.example/cb",
    "https://app.example.evil.example/cb",
    "//app.example/cb",
    "https:app.example/cb",
    " https://app.example/cb",
    "https://app.example/cb ",
    "https://app.example/cb\u0000",
    "https://app.example/cb\r\n",
    "https://app.example/cb*",
    "javascript:alert(1)",
    "data:text/html,x",
  ])
    await refusedWithPage(request("web", { redirect_uri }))
})

test("security-checklist, Authorize: only a native client's loopback IP URI may differ in port (RFC 8252 §7.3)", async () => {
  const port = await ask(server, alice, { redirect_uri: "http://127.0.0.1:53124/cb" }, "native")
  expect([port.status, port.to]).toEqual([303, "http://127.0.0.1:53124/cb"])
  for (const redirect_uri of [
    "http://127.0.0.1:53124/cb/",
    "http://127.0.0.2/cb",
    "http://[::1]/cb",
    "http://localhost:53124/cb",
    "https://127.0.0.1:53124/cb",
    "http://127.0.0.1:0/cb",
    "http://127.0.0.1:99999/cb",
    "http://127.0.0.1:1@evil.example/cb",
    "http://127.1/cb",
    "http://2130706433/cb",
    "http://127.0.0.1:/cb",
    "com.example.app:/other",
  ])
    await refusedWithPage(request("native", { redirect_uri }))
  await refusedWithPage(request("web", { redirect_uri: "https://app.example:8443/cb" }))
})

for (const [title, error, changes, clientId, cites] of [
  ["no response_type", "invalid_request", { response_type: undefined }, "web", "RFC 6749 §4.1.2.1"],
  ["unknown response_type", "unsupported_response_type", { response_type: "magic" }, "web", "RFC 6749 §4.1.2.1"],
  ["response_type not allowed", "unauthorized_client", { response_type: "token", scope: "api.read" }, "web", "RFC 6749 §4.1.2.1"],
  ["hybrid not allowed", "unauthorized_client", { response_type: "code id_token", nonce: "n" }, "web", "RFC 6749 §4.1.2.1"],
  ["code for an implicit client", "unauthorized_client", {}, "implicit", "RFC 6749 §4.1.2.1"],
  ["unknown scope", "invalid_scope", { scope: "openid nonsense" }, "web", "RFC 6749 §4.1.2.1"],
  ["scope of another client", "invalid_scope", { scope: "openid billing" }, "web", "RFC 6749 §3.3"],
  ["no scope", "invalid_request", { scope: undefined }, "web", "specification §2.1"],
  ["empty scope is no scope", "invalid_request", { scope: "" }, "web", "RFC 6749 §3.1"],
  ["prompt=none login", "invalid_request", { prompt: "none login" }, "web", "OpenID Connect Core §3.1.2.1"],
  [
    "public client without code_challenge",
    "invalid_request",
    { code_challenge: undefined, code_challenge_method: undefined },
    "spa",
    "RFC 9700 §2.1.1",
  ],
  ["empty code_challenge is none", "invalid_request", { code_challenge: "" }, "spa", "RFC 6749 §3.1"],
  ["unknown code_challenge_method", "invalid_request", { code_challenge_method: "S512" }, "spa", "RFC 7636 §4.4.1"],
  ["code_challenge_method in another case", "invalid_request", { code_challenge_method: "s256" }, "spa", "RFC 7636 §4.3"],
  ["plain where it was not given", "invalid_request", { code_challenge_method: "plain" }, "spa", "RFC 9700 §2.1.1"],
  ["method without challenge", "invalid_request", { code_challenge: undefined }, "old", "RFC 7636 §4.3"],
  ["challenge of 42", "invalid_request", { code_challenge: "x".repeat(42) }, "web", "RFC 7636 §4.2"],
  ["challenge of 129", "invalid_request", { code_challenge: "x".repeat(129) }, "web", "RFC 7636 §4.2"],
  ["challenge with a plus", "invalid_request", { code_challenge: `${"x".repeat(42)}+` }, "web", "RFC 7636 §4.2"],
  ["challenge that is not ASCII", "invalid_request", { code_challenge: "é".repeat(43) }, "web", "RFC 7636 §4.2"],
  ["resource that is relative", "invalid_target", { resource: "/api" }, "web", "RFC 8707 §2"],
  ["resource with a fragment", "invalid_target", { resource: "https://api.example#x" }, "web", "RFC 8707 §2"],
  ["resource with an empty fragment", "invalid_target", { resource: "https://api.example#" }, "web", "RFC 8707 §2"],
  ["resource not allowed", "invalid_target", { resource: "https://billing.example" }, "web", "RFC 8707 §2"],
  ["resource unknown", "invalid_target", { resource: "https://evil.example" }, "web", "RFC 8707 §2"],
  ["request object", "request_not_supported", { request: "eyJhbGciOiJub25lIn0.e30." }, "web", "OpenID Connect Core §6.1"],
  ["request_uri", "request_uri_not_supported", { request_uri: "https://app.example/r" }, "web", "OpenID Connect Core §6.2"],
  ["request and request_uri", "invalid_request", { request: "x", request_uri: "https://app.example/r" }, "web", "RFC 9101 §5"],
] satisfies ReadonlyArray<readonly [string, string, Changes, string, string]>)
  test(`security-checklist, Authorize: ${title} -> ${error}, with state and iss, at the redirect_uri (${cites})`, async () => {
    expect(await errorOf(changes, clientId)).toBe(error)
  })

test("security-checklist, Authorize: errors go to the redirect_uri before anybody signs in, too (RFC 6749 §4.1.2.1)", async () => {
  const answer = await ask(server, new Surfer(), { response_type: "magic" })
  expect([answer.to, answer.params["error"]]).toEqual(["https://app.example/cb", "unsupported_response_type"])
})

test("security-checklist, Authorize: a request object cannot smuggle in a redirect_uri (RFC 9101 §6.3)", async () => {
  const claims = { client_id: "web", redirect_uri: "https://evil.example/cb" }
  const object = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`
  await refusedWithPage(request("web", { request: object, redirect_uri: undefined }))
  // The object wins over the query, and says nowhere to send an answer: a page, though the query has an address of the client.
  await refusedWithPage(request("web", { request: object }))
})

test("security-checklist, Authorize: state comes back exactly, on success and on error (RFC 6749 §4.1.2)", async () => {
  for (const state of [
    `a&b=c#d"<ü>+ %`,
    "%0d%0aset-cookie: x=1",
    "a\r\nb",
    "\u0000",
    "日本\u2028",
    "x".repeat(2048),
    "a=b&code=evil&error=x",
  ])
    for (const changes of [{}, { scope: "nonsense" }]) {
      const answer = await ask(server, alice, { ...changes, state })
      expect(answer.params["state"]).toBe(state)
      expect(answer.params["code"]).not.toBe("evil")
      expect(answer.header("location")).toMatch(/^[\x21-\x7e]+$/)
    }
})

test("security-checklist, Authorize: a parameter twice -> invalid_request, except resource (RFC 6749 §3.1, RFC 8707 §2)", async () => {
  for (const name of ["scope", "response_type", "nonce", "code_challenge", "prompt", "unknown"])
    expect(await errorOf({ nonce: "n", prompt: "login", unknown: "u" }, "web", [[name, "again"]])).toBe("invalid_request")
  const twice = [
    ...request("web", { scope: "openid api.read" }),
    ["resource", "https://api.example"],
    ["resource", "https://api.example"],
  ] as const
  expect((await askPairs(server, alice, twice)).params["code"]).toMatch(/^c_/)
})

test("security-checklist, Authorize: state twice -> invalid_request, and neither is believed over the other (RFC 6749 §3.1)", async () => {
  const answer = await askPairs(server, alice, [...request(), ["state", "other"]])
  expect([answer.to, answer.params["error"], answer.params["code"]]).toEqual(["https://app.example/cb", "invalid_request", undefined])
})

test("security-checklist, Authorize: an empty value is absent, unknown parameters are ignored (RFC 6749 §3.1)", async () => {
  const answer = await ask(server, alice, { prompt: "", max_age: "", nonce: "", resource: "", request: "", __proto__x: "1", "a[b]": "c" })
  expect(answer.params["code"]).toMatch(/^c_/)
})

test("security-checklist, Authorize: GET and POST both (OpenID Connect Core §3.1.2.1)", async () => {
  const cookies: Pairs = [["cookie", [...alice.cookies].map((pair) => pair.join("=")).join("; ")]]
  const posted = await send(server, "POST", "/connect/authorize", [formType, ...cookies], encode(request()))
  expect([posted.status, posted.to, posted.params["state"], posted.params["iss"]]).toEqual([
    303,
    "https://app.example/cb",
    "st",
    server.url,
  ])
  const got = await send(server, "GET", `/connect/authorize?${encode(request())}`, cookies)
  expect([got.status, got.to]).toEqual([303, "https://app.example/cb"])
  const mixed = await send(
    server,
    "POST",
    `/connect/authorize?${encode([["redirect_uri", "https://evil.example"]])}`,
    [formType, ...cookies],
    encode(request()),
  )
  expect(mixed.header("location") ?? "").not.toContain("evil")
})

test("security-checklist, Authorize: no PKCE is for a client that was given that; plain likewise (RFC 9700 §2.1.1)", async () => {
  expect(await codeFor(server, alice, "old", { code_challenge: undefined, code_challenge_method: undefined })).toMatch(/^c_/)
  const code = await codeFor(server, alice, "plain", { code_challenge: "p".repeat(43), code_challenge_method: "plain" })
  expect((await redeem(server, code, "plain", { code_verifier: "p".repeat(43) })).status).toBe(200)
})
