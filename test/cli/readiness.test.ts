import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { SignJWT } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"
import { fapi1Advanced, fapi2MessageSigning, fapi2Security, oauth21 } from "../../packages/core/src/profiles/index.ts"
import { trailFindings } from "../../packages/cli/src/data/trailFindings.ts"
import type { Trail } from "@postern/core/model"
import { clientKey } from "../support/clientKeys.ts"
import { proof } from "../support/proofs.ts"
import { type RunningServer, command, serve } from "../support/server.ts"

const key = await clientKey("ES256")
let server: RunningServer

const common = {
  token_endpoint_auth_method: "private_key_jwt",
  jwks: { keys: [key.publicJwk] },
  access_token_signed_response_alg: "ES256",
  scope: "api.read",
}

beforeAll(async () => {
  server = await serve({
    trail: "all",
    resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
    ciba: {},
    clients: [
      ...["bank", "ready"].map((client_id) => ({ ...common, client_id, grant_types: ["client_credentials"], response_types: [] })),
      { ...common, client_id: "held", profile: "fapi2-security", grant_types: ["client_credentials"], response_types: [] },
      {
        ...common,
        client_id: "plain",
        profile: "fapi2-security",
        authorization_signed_response_alg: "ES256",
        id_token_signed_response_alg: "ES256",
        redirect_uris: ["https://app.example/cb"],
      },
      {
        ...common,
        client_id: "till",
        scope: "openid",
        id_token_signed_response_alg: "ES256",
        grant_types: ["urn:openid:params:grant-type:ciba"],
        response_types: [],
        backchannel_token_delivery_mode: "poll",
      },
    ],
    users: [{ username: "alice", password: "correct horse battery staple" }],
  })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

/** Sends a form as a client with an assertion, and a proof where it is to have one. Returns the status of the answer. */
const send = async (client: string, path: string, form: Readonly<Record<string, string>>, aud: string | Array<string>, bound = false) => {
  const now = Math.floor(Date.now() / 1000)
  const place = `${server.url}${path}`
  const jwt = new SignJWT({ jti: crypto.randomUUID() }).setProtectedHeader({ alg: "ES256", kid: "ES256" })
  const assertion = await jwt
    .setIssuer(client)
    .setSubject(client)
    .setAudience(aud)
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(key.privateKey)
  const body = new URLSearchParams({
    ...form,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  })
  const headers = bound ? { dpop: proof(now, "POST", "", { claims: { htu: place } }) } : undefined
  const { status } = await fetch(place, { method: "POST", body, ...(headers && { headers }) })
  return status
}

/** Asks for a token by an assertion, with a proof where its tokens are to be bound. */
const ask = async (client: string, aud: string | Array<string>, bound: boolean): Promise<void> =>
  expect(await send(client, "/connect/token", { grant_type: "client_credentials" }, aud, bound)).toBe(200)

const readinessFor = (profile: string, client: string, ...more: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [command, "client", "readiness", client, "--profile", profile, "--config", "postern.json", ...more], {
    cwd: join(server.folder),
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  })
const readiness = (client: string, ...more: ReadonlyArray<string>) => readinessFor("fapi2-security", client, ...more)

/** The findings of a client's requests, once they have left their trails. */
const found = async (profile: string, client: string, kept: number) => {
  const told = () =>
    (JSON.parse(readinessFor(profile, client, "--json").stdout) as { readonly requests: { readonly findings: ReadonlyArray<unknown> } })
      .requests
  await expect.poll(told).toMatchObject({ kept })
  return told().findings
}

test("FAPI 2.0 Security Profile §5.3.2.1 (4, 8): requests of a client that a profile would have refused are counted from their trails", async () => {
  for (let time = 0; time < 3; time++) await ask("bank", `${server.url}/connect/token`, time > 0)
  await ask("bank", [server.url], true)
  await ask("bank", server.url, true)
  await ask("ready", server.url, true)
  const told = () => JSON.parse(readiness("bank", "--json").stdout) as { readonly ready: boolean; readonly requests: unknown }
  // Trails are written within a fifth of a second.
  await expect.poll(() => told().requests).toMatchObject({ days: 7, kept: 5 })
  expect(told()).toMatchObject({
    ready: false,
    faults: [],
    requests: {
      findings: [
        {
          rule: "assertion.audience",
          cites: "FAPI 2.0 Security Profile §5.3.2.1 (8)",
          count: 4,
          of: 5,
          message: "had an assertion made out to a list with the issuer, another URL, and not to the issuer alone",
        },
        { rule: "token.confirmation-profile", count: 1, of: 5, message: "asked for tokens that are bound to nothing" },
      ],
    },
  })
  expect([readiness("bank", "--json").status, readiness("ready", "--json").status]).toEqual([1, 0])
  const { status, stderr } = readiness("bank")
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/assertion\.audience 4 requests of 5 had an assertion[^]*token\.confirmation-profile 1 request of 5/),
  ])
  const fine = readiness("ready")
  expect([fine.status, fine.stdout]).toEqual([
    0,
    expect.stringContaining("1 request of the last 7 days left a trail, none of which would have been refused"),
  ])
})

test("FAPI 2.0 Message Signing §5.3, §5.4: plain requests, and requests for plain responses, are counted for the profile that refuses them", async () => {
  const form = {
    response_type: "code",
    redirect_uri: "https://app.example/cb",
    scope: "api.read",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  }
  expect(await send("plain", "/connect/par", form, server.url)).toBe(201)
  expect(await send("plain", "/connect/par", { ...form, response_mode: "jwt" }, server.url)).toBe(201)
  expect(await found("fapi2-message-signing", "plain", 2)).toMatchObject([
    { rule: "authorize.request-object-required", count: 2, of: 2, message: "asked for authorization without a signed request object" },
    { rule: "authorize.response-mode-profile", count: 1, of: 2, message: "asked for a response by query" },
  ])
  expect(await found("fapi2-security", "plain", 2)).toEqual([])
})

test("FAPI-CIBA §5.2.2: backchannel requests that are not signed, and have no binding message, are counted", async () => {
  const form = { scope: "openid", login_hint: "alice" }
  expect(await send("till", "/connect/ciba", form, server.url)).toBe(200)
  expect(await send("till", "/connect/ciba", { ...form, binding_message: "A1" }, server.url)).toBe(200)
  expect(await found("fapi2-security", "till", 2)).toMatchObject([
    { rule: "ciba.signed", count: 2, of: 2 },
    { rule: "ciba.binding-message-required", count: 1, of: 2 },
  ])
})

test("FAPI 2.0 Security Profile §5.3.2.1 (4): a request that the client's own profile has refused is counted", async () => {
  expect(await send("held", "/connect/token", { grant_type: "client_credentials" }, server.url)).toBe(400)
  expect(await found("fapi2-security", "held", 1)).toMatchObject([{ rule: "token.confirmation-profile", count: 1, of: 1 }])
})

const trail = (endpoint: string, facts: Readonly<Record<string, string>>): Trail => ({
  requestId: "1",
  at: 1,
  endpoint,
  facts,
  steps: [],
  outcome: "",
  status: 200,
})

test.each([
  [fapi2Security, "FAPI 2.0 Security Profile §5.3.2.2 (5)"],
  [fapi2MessageSigning, "FAPI 2.0 Security Profile §5.3.2.2 (5)"],
  [oauth21, oauth21.cites],
])("a demand cites the paragraphs of the profile that makes it", (profile, cites) => {
  const told = trailFindings(profile, [trail("authorize", { "code challenge": "none" })])
  expect(told.map(({ rule, cites: cited }) => [rule, cited])).toEqual([["authorize.challenge-required", cites]])
})

test("every fact of a trail that a profile judges is judged", () => {
  const told = trailFindings(fapi2Security, [
    trail("token", { "client authentication": "client_secret_basic", "tokens bound to": "a certificate" }),
    trail("token", { "assertion aud": "the issuer", "assertion alg": "RS256", "tokens bound to": "a key" }),
    trail("authorize", { "authorization request": "not pushed", "code challenge": "none", "response type": "code id_token" }),
    trail("authorize", { "authorization request": "pushed", "code challenge": "S256", "response type": "code" }),
    trail("pushed-authorization", { "code challenge": "plain", "response type": "code", "response mode": "form_post" }),
    trail("pushed-authorization", { "request object": "none", "response mode": "query.jwt" }),
    trail("pushed-authorization", { "request object": "RS256", "request object life": "longer, or not stated" }),
    trail("userinfo", { "dpop alg": "ES384" }),
    trail("backchannel-authentication", { "backchannel request": "not signed", "binding message": "none" }),
    trail("backchannel-authentication", { "backchannel request": "RS256", "binding message": "stated" }),
  ])
  expect(told.map(({ rule, count, of }) => [rule, count, of])).toEqual([
    ["client.method-profile", 1, 1],
    ["assertion.algorithm", 1, 1],
    ["dpop.algorithm-profile", 1, 1],
    ["authorize.pushed-request-required", 1, 2],
    ["request-object.algorithm", 1, 1],
    ["request-object.lifetime", 1, 1],
    ["authorize.challenge-required", 1, 3],
    ["authorize.challenge-plain-allowed", 1, 3],
    ["authorize.response-type-profile", 1, 3],
    ["authorize.response-mode-profile", 1, 2],
    ["ciba.signed", 1, 2],
    ["ciba-request.algorithm", 1, 1],
    ["ciba.binding-message-required", 1, 2],
  ])
})

test("FAPI 1.0 Part 2 §5.2.2 (2, 18): an ID token signs a response, and the code of a pushed request needs PKCE", () => {
  const told = trailFindings(fapi1Advanced, [
    trail("authorize", { "response type": "code id_token", "response mode": "fragment" }),
    trail("authorize", { "response type": "code", "response mode": "query", "code challenge": "none" }),
    trail("pushed-authorization", { "response type": "code", "response mode": "query.jwt", "code challenge": "none" }),
    trail("token", { "tokens bound to": "a certificate and a key" }),
  ])
  expect(told.map(({ rule, count, of }) => [rule, count, of])).toEqual([
    ["pushed-authorization.challenge-required", 1, 1],
    ["authorize.response-mode-profile", 1, 3],
  ])
})
