import type { Json, JsonObject } from "@postern/core/model"
import type { Needs, ResourceRequest, ResourceServerOptions } from "@postern/verify"
import { digest, otherKey, ownKey, part, proofKey } from "../support/proofs.ts"
import {
  bearing,
  bound,
  issuer,
  now,
  other,
  own,
  path,
  proofFor,
  proving,
  request,
  resource,
  showing,
  signedAnswer,
  token,
  x5t,
} from "./setting.ts"

/** A request that is refused: by a rule, with a status and an error. */
export interface Case {
  readonly rule: string
  readonly title: string
  readonly request: ResourceRequest
  readonly answer: readonly [status: number, error: string]
  readonly needs?: Needs
  readonly more?: Partial<ResourceServerOptions>
  /** Sends it twice: the second is refused. */
  readonly twice?: boolean
}

const refusedBy = (
  rule: string,
  title: string,
  asked: ResourceRequest,
  [status, error]: Case["answer"],
  rest: Pick<Case, "needs" | "more" | "twice"> = {},
): Case => ({ rule, title, request: asked, answer: [status, error], ...rest })

const request400 = [400, "invalid_request"] as const
const token401 = [401, "invalid_token"] as const
const proof401 = [401, "invalid_dpop_proof"] as const
const later503 = [503, "temporarily_unavailable"] as const

/** An issuer that answers every introspection alike. */
export const introspecting = (answer: JsonObject | undefined, more: object = {}): Partial<ResourceServerOptions> => ({
  introspection: { clientId: "api", clientSecret: "secret of api", endpoint: `${issuer}/introspect`, ...more },
  fetch: async () => (answer === undefined ? new Response("", { status: 500 }) : Response.json(answer)),
})

const signedly = (claims: JsonObject, header: JsonObject = {}, contentType = "application/token-introspection+jwt") => ({
  introspection: { clientId: "api", clientSecret: "secret of api", endpoint: `${issuer}/introspect`, signed: true },
  fetch: async () => new Response(signedAnswer(claims, header), { headers: { "content-type": contentType } }),
})

/** An introspection of a token that is good. */
export const active = {
  active: true,
  iss: issuer,
  aud: resource,
  client_id: "app",
  sub: "alice",
  scope: "read",
  exp: now + 600,
  token_type: "Bearer",
}

const opaque = bearing("opaque-token")

/** The issuer's own answer in a signed introspection. */
export const whole = { iss: issuer, aud: "api", iat: now, token_introspection: active }

const sent = bound()
const long = token({ extra: "x".repeat(17_000) })

const presentation: ReadonlyArray<Case> = [
  refusedBy("resource.header-form", "another scheme", request({ authorization: "Basic YTpi" }), request400),
  refusedBy(
    "resource.header-form",
    "two Authorization headers",
    request({ authorization: `Bearer ${token()}, Bearer ${token()}` }),
    request400,
  ),
  ...[`Bearer ${token()}, `, `Bearer ${token()},`, `, Bearer ${token()}`].map((authorization) =>
    refusedBy("resource.header-form", "two Authorization headers, one of them empty", request({ authorization }), request400),
  ),
  refusedBy("resource.header-form", "a scheme without a token", request({ authorization: "Bearer" }), request400),
  refusedBy("resource.header-form", "an empty header", request({ authorization: "" }), request400),
  refusedBy("resource.header-form", "DPoP where it is off", proving(sent), request400, { more: { dpop: false } }),
  refusedBy("resource.token-once", "in the header and in the URL", bearing(token(), { query: "access_token=a&b=c" }), request400),
  refusedBy("resource.token-not-in-url", "in the URL", request({}, { query: `access_token=${token()}` }), request400),
  refusedBy("resource.token-present", "none", request({}), token401),
  refusedBy("resource.token-length", "longer than anything needs", bearing(long), token401),
]

/** Claims of types that they do not have (RFC 7519 §4.1, RFC 9068 §2.2). */
const mistyped: ReadonlyArray<readonly [name: string, value: Json]> = [
  ["sub", 7],
  ["sub", null],
  ["client_id", ["app"]],
  ["jti", 7],
  ["scope", ["read"]],
  ["acr", 2],
  ["amr", "pwd"],
  ["amr", ["pwd", 1]],
  ["aud", { resource }],
  ["aud", [resource, 7]],
  ["exp", String(now + 600)],
  ["iat", String(now)],
  ["nbf", String(now - 600)],
  ["nbf", null],
  ["auth_time", String(now)],
]

const jwts: ReadonlyArray<Case> = [
  refusedBy("resource.token-readable", "an opaque one where nobody is asked", opaque, token401),
  refusedBy("resource.jwt-type", "an ID token", bearing(token({}, { typ: "JWT" })), token401),
  refusedBy("resource.jwt-type", "no typ", bearing(token({}, { typ: undefined })), token401),
  refusedBy("resource.jwt-algorithm", "alg none", bearing(`${part({ typ: "at+jwt", alg: "none" })}.${token().split(".")[1]}.x`), token401),
  refusedBy("resource.jwt-algorithm", "an algorithm that is not listed", bearing(token()), token401, { more: { algorithms: ["PS256"] } }),
  refusedBy("resource.jwt-issuer", "of another issuer", bearing(token({ iss: "https://other.example" })), token401),
  refusedBy("resource.jwt-issuer", "of the issuer with a slash", bearing(token({ iss: `${issuer}/` })), token401),
  refusedBy("resource.keys-known", "no keys", bearing(token()), later503, { more: { keys: () => Promise.reject(new Error("away")) } }),
  refusedBy("resource.jwt-signature", "signed by another key", bearing(token({}, {}, otherKey)), token401),
  refusedBy("resource.jwt-signature", "of a key that the issuer has not", bearing(token({}, { kid: "two" })), token401),
  ...["exp", "iat", "sub", "client_id", "jti", "aud"].map((name) =>
    refusedBy("resource.jwt-claims", `without ${name}`, bearing(token({ [name]: undefined })), token401),
  ),
  ...mistyped.map(([name, value]) =>
    refusedBy("resource.jwt-claims", `with ${name} of another type: ${JSON.stringify(value)}`, bearing(token({ [name]: value })), token401),
  ),
  ...["sub", "client_id", "jti"].map((name) =>
    refusedBy("resource.jwt-claims", `with an empty ${name}`, bearing(token({ [name]: "" })), token401),
  ),
  refusedBy("resource.jwt-claims", "with an aud that names none", bearing(token({ aud: [] })), token401),
  refusedBy("resource.token-audience", "for another resource", bearing(token({ aud: "https://api.example/v2" })), token401),
  refusedBy("resource.token-audience", "for the issuer itself", bearing(token({ aud: issuer })), token401),
  refusedBy("resource.token-fresh", "expired this second", bearing(token({ exp: now })), token401),
  refusedBy("resource.token-begun", "not good yet", bearing(token({ nbf: now + 11 })), token401),
  refusedBy("resource.token-confirmation", "bound to what cannot be checked", bearing(token({ cnf: { jwk: ownKey.jwk } })), token401),
  refusedBy("resource.token-confirmation", "bound twice", bearing(token({ cnf: { jkt: ownKey.jkt, "x5t#S256": x5t(own) } })), token401),
  refusedBy("resource.token-confirmation", "a cnf that is a list", bearing(token({ cnf: [] })), token401),
  refusedBy("resource.token-confirmation", "a cnf that is empty", bearing(token({ cnf: {} })), token401),
  refusedBy("resource.token-confirmation", "a cnf that is null", bearing(token({ cnf: null })), token401),
]

const introspections: ReadonlyArray<Case> = [
  refusedBy("resource.introspection-answered", "the issuer fails", opaque, later503, { more: introspecting(undefined) }),
  refusedBy("resource.introspection-active", "not active", opaque, token401, { more: introspecting({ ...active, active: false }) }),
  refusedBy("resource.introspection-active", "a text that says true", opaque, token401, {
    more: introspecting({ ...active, active: "true" }),
  }),
  refusedBy("resource.introspection-issuer", "of another issuer", opaque, token401, {
    more: introspecting({ ...active, iss: "https://other.example" }),
  }),
  refusedBy("resource.introspection-type", "a refresh token", opaque, token401, {
    more: introspecting({ ...active, token_type: "refresh_token" }),
  }),
  refusedBy("resource.introspection-key", "bound to a key that the introspection does not name", opaque, token401, {
    more: introspecting({ ...active, token_type: "DPoP" }),
  }),
  ...[bearing(bound()), showing(token({ cnf: { "x5t#S256": x5t(own) } }))].map((asked, at) =>
    refusedBy(
      "resource.introspection-key",
      `a JWT bound to ${at === 0 ? "a key" : "a certificate"}, which the introspection leaves out`,
      asked,
      token401,
      {
        more: introspecting(active, { always: true }),
      },
    ),
  ),
  ...[...mistyped, ["username", 7] as const].map(([name, value]) =>
    refusedBy("resource.introspection-members", `introspected with ${name} of another type: ${JSON.stringify(value)}`, opaque, token401, {
      more: introspecting({ ...active, [name]: value }),
    }),
  ),
  refusedBy("resource.token-begun", "introspected, and not good yet", opaque, token401, {
    more: introspecting({ ...active, nbf: now + 11 }),
  }),
  refusedBy("resource.token-audience", "introspected for another resource", opaque, token401, {
    more: introspecting({ ...active, aud: ["https://other.example"] }),
  }),
  refusedBy("resource.token-audience", "introspected without aud", opaque, token401, {
    more: introspecting({ active: true, exp: now + 600, token_type: "Bearer" }),
  }),
  refusedBy("resource.token-fresh", "active, and expired by our clock", opaque, token401, { more: introspecting({ ...active, exp: now }) }),
  refusedBy("resource.introspection-active", "a JWT that was revoked", bearing(token()), token401, {
    more: introspecting({ active: false }, { always: true }),
  }),
  refusedBy("resource.signed-media-type", "plain JSON in place of a signed answer", opaque, later503, {
    more: signedly(whole, {}, "application/json"),
  }),
  refusedBy("resource.signed-type", "another JWT of the issuer", opaque, later503, { more: signedly(whole, { typ: "JWT" }) }),
  refusedBy("resource.signed-signature", "signed by a key that the issuer has not", opaque, later503, {
    more: signedly(whole, { kid: "two" }),
  }),
  refusedBy("resource.signed-issuer", "signed for another issuer", opaque, later503, {
    more: signedly({ ...whole, iss: "https://other.example" }),
  }),
  refusedBy("resource.signed-audience", "signed for another server", opaque, later503, { more: signedly({ ...whole, aud: ["other"] }) }),
  refusedBy("resource.signed-time", "an answer of a while ago", opaque, later503, { more: signedly({ ...whole, iat: now - 61 }) }),
  refusedBy("resource.signed-answer", "a signed answer without the answer", opaque, later503, {
    more: signedly({ ...whole, token_introspection: [] }),
  }),
]

const es256 = { dpop: { algorithms: ["ES256", "PS256", "EdDSA"] } }
const rsa = proofKey("RS256")
const secret = { dpop: { nonceKey: "n".repeat(32) } }
const withProof = (value: string, dpop: string): ResourceRequest => request({ authorization: `DPoP ${value}`, dpop })
const header = (changes: Readonly<Record<string, unknown>>) => proving(sent, { header: changes })
const claims = (changes: Readonly<Record<string, unknown>>) => proving(sent, { claims: changes })

/** The negative cases of the foundation's module `dpop-negative-tests`, and those that peers fell for beside. */
export const proofs: ReadonlyArray<Case> = [
  refusedBy("dpop.length", "a proof of 9 KB", header({ x: "x".repeat(9_000) }), proof401),
  refusedBy("dpop.once", "two DPoP headers", withProof(sent, `${proofFor(sent)}, ${proofFor(sent)}`), proof401),
  refusedBy("dpop.jwt", "a malformed proof", withProof(sent, "nonsense"), proof401),
  refusedBy("dpop.jwt", "an empty proof", withProof(sent, ""), proof401),
  refusedBy("dpop.type", "no typ", header({ typ: undefined }), proof401),
  refusedBy("dpop.type", "another typ", header({ typ: "JWT" }), proof401),
  refusedBy("dpop.algorithm", "no alg", header({ alg: undefined }), proof401),
  refusedBy("dpop.algorithm", "alg none", header({ alg: "none" }), proof401),
  refusedBy("dpop.algorithm", "a symmetric alg", header({ alg: "HS256" }), proof401),
  refusedBy("dpop.algorithm-profile", "RS256 where FAPI 2.0 is kept", proving(bound({}, rsa), { key: rsa }), proof401, { more: es256 }),
  refusedBy("dpop.key", "no jwk", header({ jwk: undefined }), proof401),
  refusedBy("dpop.key-public", "a private key as jwk", header({ jwk: ownKey.privateKey.export({ format: "jwk" }) }), proof401),
  refusedBy("dpop.claims", "no jti", claims({ jti: undefined }), proof401),
  refusedBy("dpop.claims", "no htm", claims({ htm: undefined }), proof401),
  refusedBy("dpop.claims", "no htu", claims({ htu: undefined }), proof401),
  refusedBy("dpop.claims", "no iat", claims({ iat: undefined }), proof401),
  refusedBy("dpop.jti-length", "a jti of 300 characters", claims({ jti: "j".repeat(300) }), proof401),
  refusedBy("dpop.method", "another htm", claims({ htm: "POST" }), proof401),
  refusedBy("dpop.method", "an htm in lower case", claims({ htm: "get" }), proof401),
  refusedBy("dpop.address", "another htu", claims({ htu: "https://api.example/v1/other" }), proof401),
  refusedBy(
    "dpop.address",
    "an htu of the Host that was sent",
    {
      ...proving(sent, { claims: { htu: `https://evil.example${path}` } }),
      headers: { ...proving(sent, { claims: { htu: `https://evil.example${path}` } }).headers, host: "evil.example" },
    },
    proof401,
  ),
  ...["m://evil.example/v1/notes", ".evil.example/v1/notes", "@evil.example/v1/notes", ":8443/v1/notes", "*"].map((target) =>
    refusedBy(
      "dpop.address",
      `an htu of the host that the target ${target} would make of the public URL`,
      { ...proving(sent, { claims: { htu: `https://api.example${target}` } }), path: target },
      proof401,
    ),
  ),
  refusedBy("dpop.validity", "an exp that has passed", claims({ exp: now - 1 }), proof401),
  refusedBy("dpop.fresh", "made an hour ago", claims({ iat: now - 3_600 }), proof401),
  refusedBy("dpop.fresh", "made in an hour", claims({ iat: now + 3_600 }), proof401),
  refusedBy("dpop.access-token", "no ath", claims({ ath: undefined }), proof401),
  refusedBy("dpop.access-token", "the ath of another token", claims({ ath: digest("another") }), proof401),
  refusedBy("dpop.signature", "a signature by another key", header({ jwk: otherKey.jwk }), proof401),
  refusedBy("dpop.signature", "a signature that was changed", withProof(sent, `${proofFor(sent).slice(0, -6)}AAAAAA`), proof401),
  refusedBy("dpop.nonce", "no nonce where one is demanded", proving(sent), [401, "use_dpop_nonce"], { more: secret }),
  refusedBy("dpop.nonce", "a nonce of somebody else", claims({ nonce: `${now.toString(36)}.${digest("x")}` }), [401, "use_dpop_nonce"], {
    more: secret,
  }),
  refusedBy("dpop.unused", "a proof that was used before", proving(sent), proof401, { twice: true }),
]

const bindings: ReadonlyArray<Case> = [
  refusedBy("resource.token-bearer", "a stolen token with a proof of the thief's own key", proving(sent, { key: otherKey }), token401),
  refusedBy("resource.token-bearer", "a bound token as a bearer token", bearing(sent), token401),
  refusedBy("resource.token-bearer", "a bound token without a proof", request({ authorization: `DPoP ${sent}` }), token401),
  refusedBy("resource.token-bearer", "a token of another certificate", showing(token({ cnf: { "x5t#S256": x5t(own) } }), other), token401),
  refusedBy(
    "resource.token-bearer",
    "a token of a certificate, and none shown",
    showing(token({ cnf: { "x5t#S256": x5t(own) } })),
    token401,
  ),
  refusedBy(
    "resource.token-bearer",
    "a token of a certificate, and a header of whoever asks",
    request({ authorization: `Bearer ${token({ cnf: { "x5t#S256": x5t(own) } })}`, "client-cert": `:${own.der.toString("base64")}:` }),
    token401,
  ),
  refusedBy("resource.token-scheme", "a bound token with its proof, as Bearer", proving(sent, {}, "Bearer"), token401),
  refusedBy("resource.token-scheme", "an unbound token by DPoP", proving(token()), token401),
  refusedBy("resource.token-bound", "a bearer token where tokens must be bound", bearing(token()), token401, { more: { bound: "any" } }),
  refusedBy(
    "resource.token-bound",
    "a certificate where a key is demanded",
    showing(token({ cnf: { "x5t#S256": x5t(own) } }), own),
    token401,
    {
      more: { bound: "dpop" },
    },
  ),
]

const needs: ReadonlyArray<Case> = [
  refusedBy("resource.scope", "without the scope", bearing(token()), [403, "insufficient_scope"], { needs: { scope: "read delete" } }),
  refusedBy("resource.acr", "a sign-in that was too weak", bearing(token({ acr: "weak" })), [401, "insufficient_user_authentication"], {
    needs: { acrValues: ["strong", "stronger"] },
  }),
  refusedBy("resource.acr", "no acr at all", bearing(token()), [401, "insufficient_user_authentication"], {
    needs: { acrValues: ["strong"] },
  }),
  refusedBy(
    "resource.auth-time",
    "a sign-in too long ago",
    bearing(token({ auth_time: now - 301 })),
    [401, "insufficient_user_authentication"],
    {
      needs: { maxAge: 300 },
    },
  ),
  refusedBy("resource.auth-time", "no auth_time", bearing(token()), [401, "insufficient_user_authentication"], { needs: { maxAge: 300 } }),
  refusedBy("resource.use-known", "the uses of proofs cannot be kept", proving(sent), later503, {
    more: { dpop: { uses: { claim: () => Promise.reject(new Error("connection lost")) } } },
  }),
  refusedBy("resource.use-known", "no room for one more use", proving(sent), later503, {
    more: { dpop: { uses: { claim: () => undefined } } },
  }),
]

/** Every case. */
export const cases: ReadonlyArray<Case> = [...presentation, ...jwts, ...introspections, ...proofs, ...bindings, ...needs]
