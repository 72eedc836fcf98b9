import { generateKeyPairSync, randomUUID } from "node:crypto"
import { CompactSign } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import { type Reply, askPairs, config, post, refusal, refused, request, signedIn } from "./setting.ts"

const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
const stray = generateKeyPairSync("ec", { namedCurve: "P-256" })
const jwks = { keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "own" }] }
const web = { redirect_uris: ["https://app.example/cb"], scope: "openid email", require_consent: false }

let server: RunningServer
let alice: Surfer
beforeAll(async () => {
  server = await serve({
    ...config,
    clients: [
      ...config.clients,
      { client_id: "signs", client_secret: "secret of signs", ...web, jwks, request_uris: ["https://client.invalid/request"] },
      { client_id: "bare", client_secret: "secret of bare", ...web },
      {
        client_id: "keyed",
        token_endpoint_auth_method: "private_key_jwt",
        client_assertion_audience: "issuer",
        grant_types: ["client_credentials"],
        response_types: [],
        scope: "api.read",
        jwks,
      },
    ],
  })
  alice = await signedIn(server)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const seconds = (): number => Math.floor(Date.now() / 1000)
type Claims = Readonly<Record<string, unknown>>

const signed = (claims: Claims, { key = own.privateKey, header = {} } = {}): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(claims))).setProtectedHeader({ alg: "ES256", kid: "own", ...header }).sign(key)
const unsecured = (claims: Claims): string =>
  `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`

const objectClaims = (changes: Claims = {}): Claims => ({
  ...Object.fromEntries(request("signs")),
  iss: "signs",
  aud: server.url,
  exp: seconds() + 300,
  ...changes,
})
/** Asks with an object, and beside it what RFC 9101 §5 wants and what is given. */
const ask = (object: string, beside: Readonly<Record<string, string>> = {}, clientId = "signs"): Promise<Reply> =>
  askPairs(server, alice, Object.entries({ client_id: clientId, request: object, ...beside }))
const isPage = ({ status, to, body }: Reply): unknown => [status, to, body.includes('id="op-error"')]
const page = [400, undefined, true]

test("security-checklist, Authorize: a signed request object is taken, and what is outside it does not override it (RFC 9101 §6.3)", async () => {
  const { to, params } = await ask(await signed(objectClaims()), {
    state: "outside",
    redirect_uri: "https://evil.example/",
    scope: "nonsense",
  })
  expect([to, params["state"], params["iss"]]).toEqual(["https://app.example/cb", "st", server.url])
  expect(params["code"]).toBeDefined()
})

test("security-checklist, Authorize: a request object with alg none is refused unless registered so (RFC 9101 §10.5)", async () => {
  const { to, params } = await ask(unsecured(objectClaims()))
  expect([to, params["error"], params["code"]]).toEqual(["https://app.example/cb", "request_not_supported", undefined])
})

for (const [title, changes, signing] of [
  ["of another iss", { iss: "web" }],
  ["made out to somebody else", { aud: "https://other.example" }],
  ["that is expired", { exp: seconds() - 60 }],
  ["with another client_id inside", { client_id: "web" }],
  ["without a client_id inside", { client_id: undefined }],
  ["whose sub is the client_id", { sub: "signs" }],
  ["signed by another key", {}, { key: stray.privateKey }],
  ["of another type", {}, { header: { typ: "at+jwt" } }],
  ["with a request_uri inside", { request_uri: "https://client.invalid/request" }],
] as const)
  test(`security-checklist, Authorize: a request object ${title} is refused, and led by to no redirect_uri but the client's own (RFC 9101 §6, §10.8)`, async () => {
    const { to, params } = await ask(await signed(objectClaims(changes), signing))
    if (title === "with another client_id inside") expect(to).toBeUndefined()
    else expect([to, params["error"], params["code"]]).toEqual(["https://app.example/cb", "invalid_request_object", undefined])
    expect(isPage(await ask(await signed(objectClaims({ ...changes, redirect_uri: "https://evil.example/" }), signing)))).toEqual(page)
  })

test("security-checklist, Authorize: request and request_uri together are invalid_request (RFC 9101 §5)", async () => {
  const beside = { ...Object.fromEntries(request("signs")), request_uri: "https://client.invalid/request" }
  const { params } = await ask(await signed(objectClaims()), beside)
  expect([params["error"], params["state"]]).toEqual(["invalid_request", "st"])
})

test("security-checklist, Authorize: where they are not supported: request_not_supported and request_uri_not_supported (OpenID Connect Core §6)", async () => {
  const asked = async (more: Readonly<Record<string, string>>) =>
    (await askPairs(server, alice, [...request("bare"), ...Object.entries(more)])).params["error"]
  expect(await asked({ request: await signed(objectClaims()) })).toBe("request_not_supported")
  expect(await asked({ request_uri: "https://client.invalid/request" })).toBe("request_uri_not_supported")
})

test("security-checklist, Authorize: a request_uri that nobody registered is fetched by nobody; one that cannot be fetched is invalid_request_uri too (RFC 9101 §10.4)", async () => {
  const asked = (request_uri: string) => askPairs(server, alice, [...request("signs"), ["request_uri", request_uri]])
  expect((await asked(`${server.url}/connect/token`)).params["error"]).toBe("invalid_request_uri")
  expect((await asked("https://client.invalid/request")).params["error"]).toBe("invalid_request_uri")
})

const assertion = (changes: Claims = {}, signing = {}): Promise<string> =>
  signed({ iss: "keyed", sub: "keyed", aud: server.url, exp: seconds() + 60, jti: randomUUID(), ...changes }, signing)
const token = (client_assertion: string): Promise<Reply> =>
  post(server, "/connect/token", undefined, {
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion,
  })

test("security-checklist, Token: a client_assertion made out to the issuer is taken once, by its jti (RFC 7523 §3)", async () => {
  const once = await assertion()
  expect((await token(once)).status).toBe(200)
  expect(refusal(await token(once))).toEqual(refused("invalid_client", 401))
})

for (const [title, changes, signing] of [
  ["whose aud is the token endpoint", { aud: "token" }],
  ["whose aud is a list", { aud: "list" }],
  ["without an exp", { exp: undefined }],
  ["whose exp is a day away", { exp: seconds() + 86_400 }],
  ["that is expired", { exp: seconds() - 60 }],
  ["without a jti", { jti: undefined }],
  ["of another iss", { iss: "web" }],
  ["signed by another key", {}, { key: stray.privateKey }],
] as const)
  test(`security-checklist, Token: a client_assertion ${title} is invalid_client (RFC 7523 §3)`, async () => {
    const aud = { token: `${server.url}/connect/token`, list: [server.url, "https://other.example"] }
    const meant = "aud" in changes ? { aud: aud[changes.aud] } : changes
    expect(refusal(await token(await assertion(meant, signing)))).toEqual(refused("invalid_client", 401))
  })
