import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import {
  type Pairs,
  type Reply,
  basic,
  codeFor,
  config,
  encode,
  formType,
  redeem,
  refusal,
  refused,
  secretOf,
  send,
  signedIn,
  token,
  verifier,
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

const path = "/connect/token"
const fields = { grant_type: "client_credentials" }
const authorized: Pairs = [["authorization", basic("machine")]]
const basicOf = (text: string): Pairs => [["authorization", `Basic ${Buffer.from(text).toString("base64")}`]]
const challenged = ({ header }: Reply): string | undefined => header("www-authenticate")

test("security-checklist, Token: POST only: every other method -> 405 with Allow, and no token (RFC 6749 §3.2)", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "HEAD"]) {
    const answer = await send(server, method, `${path}?${encode(fields)}`, authorized)
    expect([method, answer.status, answer.header("allow")]).toEqual([method, 405, "POST, OPTIONS"])
    expect(answer.body).not.toContain("access_token")
  }
})

test("security-checklist, Token: a method override is not believed (RFC 9110 §9.1)", async () => {
  for (const name of ["x-http-method-override", "x-method-override", "x-http-method"])
    expect((await send(server, "GET", `${path}?${encode({ ...fields, _method: "POST" })}`, [...authorized, [name, "POST"]])).status).toBe(
      405,
    )
})

for (const [type, body] of [
  ["application/json", JSON.stringify(fields)],
  ["multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--x--\r\n'],
  ["text/plain", encode(fields)],
  ["application/x-www-form-urlencodedx", encode(fields)],
  ["application/xml", "<grant_type>client_credentials</grant_type>"],
] as const)
  test(`security-checklist, Token: form only: ${type.split(";")[0] ?? ""} -> 400 invalid_request (RFC 6749 §3.2)`, async () => {
    expect(refusal(await send(server, "POST", path, [...authorized, ["content-type", type]], body))).toEqual(refused("invalid_request"))
  })

test("security-checklist, Token: form only: no content type -> 400 invalid_request; parameters of the type and its case do not matter (RFC 6749 §3.2)", async () => {
  expect(refusal(await send(server, "POST", path, authorized, encode(fields)))).toEqual(refused("invalid_request"))
  const cased: Pairs = [["content-type", "Application/X-WWW-Form-URLencoded; Charset=UTF-8"]]
  expect((await send(server, "POST", path, [...authorized, ...cased], encode(fields))).status).toBe(200)
})

test("security-checklist, Token: a duplicate parameter -> invalid_request, the same value or not, known or not (RFC 6749 §3.2)", async () => {
  for (const more of [
    ["grant_type", "client_credentials"],
    ["grant_type", "password"],
    ["scope", "api.write"],
    ["x", "2"],
  ] as const) {
    const pairs: Pairs = [["grant_type", "client_credentials"], ["scope", "api.read"], ["x", "1"], more]
    expect(refusal(await token(server, "machine", pairs))).toEqual(refused("invalid_request"))
  }
})

test("security-checklist, Token: parameters and secrets in the URL count for nothing (RFC 6749 §2.3.1)", async () => {
  const secret = { client_id: "machine", client_secret: "secret of machine" }
  const inUrl = await send(server, "POST", `${path}?${encode({ ...fields, ...secret })}`, [formType])
  expect(refusal(inUrl)).toEqual(refused("invalid_client", 401))
  const half = await send(server, "POST", `${path}?${encode(secret)}`, [formType], encode(fields))
  expect(refusal(half)).toEqual(refused("invalid_client", 401))
  const grant = await send(server, "POST", `${path}?${encode(fields)}`, [formType, ...authorized], encode({ scope: "api.read" }))
  expect(refusal(grant)).toEqual(refused("invalid_request"))
  const scope = await send(server, "POST", `${path}?scope=api.write`, [formType, ...authorized], encode({ ...fields, scope: "api.read" }))
  expect([scope.status, scope.json["scope"]]).toEqual([200, "api.read"])
})

test("security-checklist, Token: all answers are JSON and no-store, errors too, and error_description keeps to its characters (RFC 6749 §5.1, §5.2)", async () => {
  const answers = [
    await token(server, "machine", fields),
    await token(server, undefined, fields),
    await token(server, "machine", {}),
    await token(server, "machine", { grant_type: `"\\\u0000é<script>` }),
    await token(server, "machine", { ...fields, scope: `"\\é` }),
    await token(server, "web", { grant_type: "authorization_code", code: `"\\é\r\n` }),
    await token(server, "web", { grant_type: "refresh_token", refresh_token: "\u0000".repeat(99) }),
    await send(server, "POST", path, [["content-type", "text/plain"]], "x"),
    await token(server, undefined, { ...fields, client_id: `"\\é`, client_secret: "\u0000" }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 400, 400, 400, 400, 400, 401])
  for (const { header, json } of answers) {
    expect([header("content-type"), header("cache-control"), header("pragma")]).toEqual(["application/json", "no-store", "no-cache"])
    expect(json["error_description"] ?? "fine").toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(JSON.stringify(json)).not.toContain("<script")
  }
})

test("security-checklist, Token: a wrong secret is answered as an unknown and a disabled client are: 401 invalid_client (RFC 6749 §5.2)", async () => {
  const [wrong, unknown, off] = await Promise.all(
    (["machine", "nobody", "off"] as const).map((id) => token(server, undefined, fields, [["authorization", basic(id, "wrong")]])),
  )
  for (const answer of [wrong, unknown, off]) {
    expect(answer && refusal(answer)).toEqual(refused("invalid_client", 401))
    expect(answer?.body).toBe(wrong?.body)
  }
  const posted = await Promise.all(
    ["machine", "nobody", "off"].map((client_id) => token(server, undefined, { ...fields, client_id, client_secret: "wrong" })),
  )
  expect(new Set(posted.map(({ body, status }) => `${status} ${body}`)).size).toBe(1)
})

test("security-checklist, Token: Basic was tried -> WWW-Authenticate: Basic (RFC 6749 §5.2)", async () => {
  const answer = await token(server, undefined, fields, [["authorization", basic("machine", "wrong")]])
  expect(challenged(answer)).toMatch(/^Basic realm="/)
})

test("security-checklist, Token: two authentication methods -> 400 invalid_request (RFC 6749 §2.3)", async () => {
  const both = { ...fields, client_id: "machine", client_secret: "secret of machine" }
  expect(refusal(await token(server, "machine", both))).toEqual(refused("invalid_request"))
  expect(refusal(await token(server, "machine", { ...both, client_secret: "wrong" }))).toEqual(refused("invalid_request"))
})

test("security-checklist, Token: Basic of one client and client_id of another -> refused (RFC 6749 §2.3)", async () => {
  const answer = await token(server, "machine", { ...fields, client_id: "web" })
  expect(refusal(answer)).toEqual(refused("invalid_client", 401))
})

test("security-checklist, Token: a confidential client with no secret, or an empty one -> 401 (RFC 6749 §3.2.1)", async () => {
  expect(refusal(await token(server, undefined, { ...fields, client_id: "machine" }))).toEqual(refused("invalid_client", 401))
  expect(refusal(await token(server, undefined, { ...fields, client_id: "machine", client_secret: "" }))).toEqual(
    refused("invalid_client", 401),
  )
  for (const text of ["machine:", "machine", ":", "", ":secret of machine"])
    expect(refusal(await token(server, undefined, fields, basicOf(text)))).toEqual(refused("invalid_client", 401))
})

test("security-checklist, Token: Basic decodes form-encoding: a secret of : % + space and non-ASCII works (RFC 6749 §2.3.1)", async () => {
  const formEncoded = encode({ v: secretOf("spicy") }).slice(2)
  for (const secret of [formEncoded, encodeURIComponent(secretOf("spicy"))])
    expect((await token(server, undefined, fields, basicOf(`spicy:${secret}`))).status).toBe(200)
  expect((await token(server, undefined, { ...fields, client_id: "spicy", client_secret: secretOf("spicy") })).status).toBe(200)
  expect((await token(server, undefined, fields, basicOf("spicy:%zz"))).status).toBe(401)
})

test("security-checklist, Token: another scheme, or two Authorization headers, authenticate nobody (RFC 6749 §2.3)", async () => {
  for (const authorization of ["Bearer x", "Digest x", "Basic", "basic ###", "Negotiate abc", basic("machine").replace(" ", "")])
    expect((await token(server, undefined, fields, [["authorization", authorization]])).status).toBe(401)
  const two = await token(server, undefined, fields, [
    ["authorization", basic("machine", "wrong")],
    ["authorization", basic("machine")],
  ])
  expect(two.json["access_token"]).toBeUndefined()
})

test("security-checklist, Token: an assertion, which is not offered, authenticates nobody (RFC 7521 §4.2)", async () => {
  const assertion = { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", client_assertion: "e30.e30.e30" }
  for (const client_id of ["machine", undefined])
    expect(refusal(await token(server, undefined, { ...fields, ...assertion, client_id }))).toEqual(refused("invalid_client", 401))
})

for (const [title, error, clientId, grant_type] of [
  ["no grant_type", "invalid_request", "machine", undefined],
  ["an empty grant_type", "invalid_request", "machine", ""],
  ["unknown grant_type", "unsupported_grant_type", "machine", "magic"],
  ["a grant_type named like a member of every object", "unsupported_grant_type", "machine", "constructor"],
  ["password not for this client", "unauthorized_client", "web", "password"],
  ["code not for this client", "unauthorized_client", "machine", "authorization_code"],
  ["refresh not for this client", "unauthorized_client", "machine", "refresh_token"],
  ["client_credentials not for this client", "unauthorized_client", "other", "client_credentials"],
] as const)
  test(`security-checklist, Token: ${title} -> ${error} (RFC 6749 §5.2)`, async () => {
    expect(refusal(await token(server, clientId, { grant_type }))).toEqual(refused(error))
  })

test("security-checklist, Token: client_credentials of a public client -> unauthorized_client (RFC 6749 §4.4)", async () => {
  expect(refusal(await token(server, "spa", fields))).toEqual(refused("unauthorized_client"))
})

test("security-checklist, Token: a public client that sends a secret, or another's client_id, is refused (RFC 6749 §2.1)", async () => {
  const asked = { grant_type: "authorization_code", code: "x", client_id: "spa", client_secret: "guess" }
  expect(refusal(await token(server, undefined, asked))).toEqual(refused("invalid_client", 401))
})

test("security-checklist, Token: a confidential client's code cannot be redeemed as a public client, by client_id alone (RFC 6749 §3.2.1)", async () => {
  const code = await codeFor(server, alice)
  const asked = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
  expect(refusal(await token(server, undefined, { ...asked, client_id: "web" }))).toEqual(refused("invalid_client", 401))
  expect(refusal(await token(server, undefined, { ...asked, client_id: "spa" }))).toEqual(refused("invalid_grant"))
  expect((await redeem(server, code)).status).toBe(200)
})
