import type { ClientMetadata } from "@postern/core"
import { createLocalJWKSet, jwtVerify } from "jose"
import { clientKey, opened } from "../support/clientKeys.ts"
import { authorize, claimsOf, codeFor, headerOf, post, redeem, signedIn, tokensFor, userinfo } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, issuer } from "../support/world.ts"
import type { Case } from "./case.ts"

const rsa = await clientKey("RSA-OAEP-256")
const ec = await clientKey("ECDH-ES")
const jwks = { keys: [rsa.publicJwk, ec.publicJwk] }

/** The usual world, in which `web` is registered for more. */
const registered = (more: Partial<ClientMetadata>): WorldOptions => ({
  clients: clients.map((each) => (each.client_id === "web" ? { ...each, ...more } : each)),
})

/** Verifies a JWT of ours as its reader would, and answers its claims. */
const read = async (w: World, jwt: string, typ: string): Promise<Record<string, unknown>> => {
  const { payload } = await jwtVerify(jwt, createLocalJWKSet({ keys: [...(await w.signer.keys())] }), {
    typ,
    issuer,
    audience: "web",
    currentDate: new Date(w.now() * 1000),
  })
  return payload
}
const asJson = (answer: Said, json: Record<string, unknown>): Said => ({ ...answer, json })

const introspect = (w: World, token: string, accept: string): Promise<Said> => post(w, "/connect/introspect", "web", { token }, { accept })
const jwtType = "application/token-introspection+jwt"

/** Answers as signed and encrypted JWTs: OpenID Connect Core §5.3.2 and §10.2, RFC 9701. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §5.3.2: userinfo as a signed JWT, made out to the client, of a type that no ID token has",
    rule: undefined,
    options: registered({ userinfo_signed_response_alg: "ES256" }),
    run: async (w) => {
      const answer = await userinfo(w, (await tokensFor(w, "web", "openid email")).access_token)
      return asJson(answer, { ...(await read(w, answer.body, "userinfo+jwt")), alg: headerOf(answer.body)["alg"] })
    },
    expect: {
      status: 200,
      headers: { "content-type": "application/jwt", "cache-control": "no-store" },
      json: { sub: "sub-alice", email: "alice@example.com", iss: issuer, aud: "web", alg: "ES256" },
    },
  },
  {
    title: "RFC 8725 §3.11: signed userinfo does not pass for an id_token_hint",
    rule: "authorize.id-token-hint",
    options: registered({ userinfo_signed_response_alg: "RS256" }),
    run: async (w) => {
      const { body } = await userinfo(w, (await tokensFor(w)).access_token)
      return authorize(await signedIn(w), "web", { id_token_hint: body })
    },
    expect: { status: 303, params: { error: "invalid_request" } },
  },
  {
    title: "OpenID Connect Core §5.3.2: userinfo signed, then encrypted to the client's RSA key",
    rule: undefined,
    options: registered({ userinfo_signed_response_alg: "RS256", userinfo_encrypted_response_alg: "RSA-OAEP-256", jwks }),
    run: async (w) => {
      const answer = await userinfo(w, (await tokensFor(w, "web", "openid email")).access_token)
      const { text, header } = await opened(answer.body, "RSA-OAEP-256")
      return asJson(answer, { ...(await read(w, text, "userinfo+jwt")), cty: header["cty"], enc: header["enc"], kid: header["kid"] })
    },
    expect: {
      status: 200,
      headers: { "content-type": "application/jwt" },
      json: { sub: "sub-alice", email: "alice@example.com", cty: "JWT", enc: "A128CBC-HS256", kid: "RSA-OAEP-256" },
    },
  },
  {
    title: "OpenID Connect Core §5.3.2: userinfo encrypted and not signed",
    rule: undefined,
    options: registered({ userinfo_encrypted_response_alg: "ECDH-ES", userinfo_encrypted_response_enc: "A256GCM", jwks }),
    run: async (w) => {
      const answer = await userinfo(w, (await tokensFor(w)).access_token)
      const { text, header } = await opened(answer.body, "ECDH-ES")
      return asJson(answer, { ...(JSON.parse(text) as Record<string, unknown>), enc: header["enc"] })
    },
    expect: { status: 200, json: { sub: "sub-alice", iss: issuer, aud: "web", enc: "A256GCM" } },
  },
  {
    title: "OpenID Connect Core §10.2, §3.1.3.6: an ID token signed, with its at_hash, then encrypted to a key behind jwks_uri",
    rule: undefined,
    options: {
      ...registered({ id_token_encrypted_response_alg: "ECDH-ES", jwks_uri: "https://app.example/jwks" }),
      more: { outbound: { fetch: () => ({ _tag: "Fetched", status: 200, contentType: undefined, body: JSON.stringify(jwks) }) } },
    },
    run: async (w) => {
      const answer = await redeem(w, await codeFor(w))
      const { text } = await opened(String(answer.json?.["id_token"]), "ECDH-ES")
      return asJson(answer, await read(w, text, "JWT"))
    },
    expect: { status: 200, json: { sub: "sub-alice", iss: issuer, aud: "web" } },
  },
  {
    title: "OpenID Connect Core §10.2: without a key to encrypt to nothing is issued, least of all in the clear",
    rule: undefined,
    options: {
      ...registered({ id_token_encrypted_response_alg: "ECDH-ES", jwks_uri: "https://app.example/jwks" }),
      more: { outbound: { fetch: () => ({ _tag: "Unfetched", reason: "no such host" }) } },
    },
    run: async (w) => redeem(w, await codeFor(w)),
    expect: { status: 503, json: { error: "temporarily_unavailable" }, headers: { "retry-after": "2" } },
  },
  {
    title: "RFC 9701 §5: an introspection as a JWT for the one who asks",
    rule: undefined,
    run: async (w) => {
      const answer = await introspect(w, (await tokensFor(w)).access_token, jwtType)
      const claims = await read(w, answer.body, "token-introspection+jwt")
      return asJson(answer, { ...claims, told: (claims["token_introspection"] as Record<string, unknown>)["active"] })
    },
    expect: {
      status: 200,
      headers: { "content-type": jwtType, "cache-control": "no-store" },
      json: { iss: issuer, aud: "web", told: true },
    },
  },
  {
    title: "RFC 9701 §5: a token that is not active is told so in a JWT too, and nothing else of it",
    rule: "introspection.known",
    run: async (w) => {
      const answer = await introspect(w, "nothing", `application/json;q=0.5, ${jwtType};q=1`)
      return asJson(answer, { told: claimsOf(answer.body)["token_introspection"] })
    },
    expect: { status: 200, json: { told: { active: false } } },
  },
  {
    title: "RFC 7662 §2.2: whoever does not ask for a JWT gets JSON",
    rule: undefined,
    run: async (w) => introspect(w, (await tokensFor(w)).access_token, "application/json"),
    expect: { status: 200, headers: { "content-type": "application/json" }, json: { active: true } },
  },
  {
    title: "RFC 9701 §6: signed by the algorithm and encrypted as the client is registered",
    rule: undefined,
    options: registered({ introspection_signed_response_alg: "ES256", introspection_encrypted_response_alg: "RSA-OAEP-256", jwks }),
    run: async (w) => {
      const answer = await introspect(w, (await tokensFor(w)).access_token, jwtType)
      const { text, header } = await opened(answer.body, "RSA-OAEP-256")
      return asJson(answer, { ...(await read(w, text, "token-introspection+jwt")), alg: headerOf(text)["alg"], cty: header["cty"] })
    },
    expect: { status: 200, json: { aud: "web", alg: "ES256", cty: "JWT" } },
  },
]
