import { type ClientMetadata, type Json, type ProviderOptions } from "@postern/core"
import { type TrustedIssuer, jwtBearer, jwtBearerGrantType } from "@postern/core/grants"
import { claimsOf, token, userinfo } from "../support/flows.ts"
import { peerIssuer, peerJwks, peerJwt } from "../support/peer.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, clients } from "../support/world.ts"
import { type Case, refused } from "./case.ts"
import { foreignJwtCases } from "./foreignJwt.ts"
import { mappedContexts, toldSignInCases } from "./toldSignIns.ts"

const trusted: TrustedIssuer = { issuer: peerIssuer, jwks: peerJwks, audiences: ["our-name-there"] }

/** A world that trusts the peer, and a client with a policy. */
const trusting = (
  policy: Json = {},
  issuer: Partial<TrustedIssuer> = {},
  client: Partial<ClientMetadata> = {},
  more: Partial<ProviderOptions> & WorldOptions["more"] = {},
): WorldOptions => ({
  clients: [
    ...clients.filter(({ client_id }) => client_id !== "spa"),
    {
      client_id: "bearer",
      client_secret: "secret of bearer",
      grant_types: [jwtBearerGrantType, "refresh_token"],
      scope: "openid email offline_access api.read api.write billing",
      grant_policies: { [jwtBearerGrantType]: policy },
      ...client,
    },
    {
      client_id: "spa",
      token_endpoint_auth_method: "none",
      grant_types: [jwtBearerGrantType],
      scope: "api.read",
      grant_policies: { [jwtBearerGrantType]: policy },
    },
  ],
  more: { grants: [jwtBearer({ issuers: [{ ...trusted, ...issuer }] })], ...more },
})

type Fields = Readonly<Record<string, string>>
const send = (w: World, assertion: string, fields: Fields = {}, clientId = "bearer"): Promise<Said> =>
  token(w, clientId, { grant_type: jwtBearerGrantType, assertion, ...fields })
const accessToken = ({ json }: Said): string => String(json?.["access_token"])

const one = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Case["expect"]): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

/** JWT bearer assertions: RFC 7523 §2.1, §3. */
export const cases: ReadonlyArray<Case> = [
  one(
    "RFC 7523 §2.1: an assertion is exchanged for an access token of the person it is about",
    undefined,
    trusting(),
    async (w) => userinfo(w, accessToken(await send(w, await peerJwt(), { scope: "openid email" }))),
    { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  ),
  one(
    "RFC 7521 §4.1: no refresh token is given, and no ID token",
    undefined,
    trusting(),
    async (w) => {
      const answer = await send(w, await peerJwt(), { scope: "openid offline_access" })
      return { ...answer, json: { names: Object.keys(answer.json ?? {}).join(" "), scope: answer.json?.["scope"] } }
    },
    { status: 200, json: { names: "access_token token_type expires_in scope", scope: "openid" } },
  ),
  one(
    "RFC 7523 §3: a subject may be mapped to ours, by a claim and by a table",
    undefined,
    trusting({}, { subjectClaim: "employee", subjects: { e7: "sub-bob" } }),
    async (w) => {
      const answer = await send(w, await peerJwt({ sub: "them", employee: "e7" }), { scope: "api.read" })
      return { ...answer, json: { sub: claimsOf(accessToken(answer))["sub"] } }
    },
    { status: 200, json: { sub: "sub-bob" } },
  ),
  one(
    "RFC 7523 §3: who is not in the table is nobody here",
    "jwt-bearer.jwt-subject-known",
    trusting({}, { subjects: { e7: "sub-bob" } }),
    async (w) => send(w, await peerJwt(), { scope: "api.read" }),
    refused("invalid_grant", "The assertion is not about a person known here."),
  ),
  one(
    "RFC 7523 §3: the person must be known here",
    "extension.person-active",
    trusting(),
    async (w) => send(w, await peerJwt({ sub: "sub-nobody" })),
    refused("invalid_grant", "The person can no longer sign in."),
  ),
  one(
    "RFC 7523 §3: the person must be active",
    "extension.person-active",
    trusting(),
    async (w) => send(w, await peerJwt({ sub: "sub-mallory" })),
    refused("invalid_grant", "The person can no longer sign in."),
  ),
  one(
    "RFC 7523 §2.1: no assertion is refused",
    "jwt-bearer.assertion-present",
    trusting(),
    (w) => token(w, "bearer", { grant_type: jwtBearerGrantType }),
    refused("invalid_request", "The assertion is missing."),
  ),
  ...foreignJwtCases("jwt-bearer", "assertion", "invalid_grant", trusting(), (w, jwt) => send(w, jwt)),
  ...toldSignInCases(
    "jwt-bearer",
    "assertion",
    "invalid_grant",
    trusting(),
    async (w, claims) => send(w, await peerJwt(claims)),
    trusting({}, { acrValues: mappedContexts }),
  ),
  one(
    "RFC 7523 §3 (8): an algorithm that is not allowed is refused",
    "jwt-bearer.jwt-signature",
    trusting({}, { algorithms: ["RS256"] }),
    async (w) => send(w, await peerJwt()),
    refused("invalid_grant", "The assertion is not valid."),
  ),
  one(
    "RFC 7517 §5: the issuer's keys may be fetched",
    undefined,
    trusting(
      {},
      { jwks: undefined, jwksUri: "https://peer.example/jwks" },
      {},
      {
        outbound: {
          fetch: (url) =>
            url === "https://peer.example/jwks"
              ? { _tag: "Fetched", status: 200, contentType: "application/jwk-set+json", body: JSON.stringify(peerJwks) }
              : { _tag: "Unfetched", reason: "another URL" },
        },
      },
    ),
    async (w) => send(w, await peerJwt(), { scope: "api.read" }),
    { status: 200 },
  ),
  one(
    "RFC 7523 §3.1: a public client may not use an assertion",
    "jwt-bearer.confidential",
    trusting(),
    async (w) => send(w, await peerJwt(), {}, "spa"),
    refused("unauthorized_client", "The client must authenticate to use an assertion."),
  ),
  one(
    "RFC 7521 §4.1: unless its policy allows it",
    undefined,
    trusting({ allow_public: true }),
    async (w) => send(w, await peerJwt(), {}, "spa"),
    { status: 200 },
  ),
  one(
    "RFC 7521 §5.2: an issuer that is not for this client is refused",
    "jwt-bearer.issuer-allowed",
    trusting({ issuers: ["https://else.example"] }),
    async (w) => send(w, await peerJwt()),
    refused("invalid_grant", "The client may not use assertions of this issuer."),
  ),
  one(
    "RFC 7523 §3 (7): a jti counts once",
    "extension.unused",
    trusting(),
    async (w) => {
      await send(w, await peerJwt({ jti: "j1" }))
      return send(w, await peerJwt({ jti: "j1" }))
    },
    refused("invalid_grant", "It has been used before."),
  ),
  one(
    "RFC 7523 §3 (7): without a jti an assertion may be used again",
    undefined,
    trusting(),
    async (w) => {
      await send(w, await peerJwt())
      return send(w, await peerJwt())
    },
    { status: 200 },
  ),
  one(
    "RFC 7523 §3 (7): where the policy wants one, no jti is refused",
    "jwt-bearer.jti-present",
    trusting({ require_jti: true }),
    async (w) => send(w, await peerJwt()),
    refused("invalid_grant", "The assertion has no jti."),
  ),
  one(
    "RFC 7521 §4.1: scope omitted gives what the policy leaves, and a life no longer than it says",
    undefined,
    trusting({ scope: "openid api.read billing", resources: ["https://api.example"], max_lifetime: 60 }),
    async (w) => {
      const answer = await send(w, await peerJwt())
      const { scope, aud } = claimsOf(accessToken(answer))
      return { ...answer, json: { scope, aud, expires_in: answer.json?.["expires_in"] } }
    },
    { status: 200, json: { scope: "openid api.read", aud: "https://api.example", expires_in: 60 } },
  ),
  one(
    "RFC 7521 §4.1: a scope beyond the policy's is refused",
    "jwt-bearer.scope-allowed",
    trusting({ scope: "api.read" }),
    async (w) => send(w, await peerJwt(), { scope: "api.write" }),
    refused("invalid_scope", "A scope is not allowed by this grant."),
  ),
  one(
    "RFC 8707 §2.2: a resource beyond the policy's is refused",
    "jwt-bearer.resource-allowed",
    trusting({ resources: ["https://api.example"] }),
    async (w) => send(w, await peerJwt(), { resource: "https://billing.example" }),
    refused("invalid_target", "A resource is not allowed by this grant."),
  ),
  one(
    "RFC 8707 §2.2: a scope of a resource beyond the policy's is refused",
    "jwt-bearer.scope-reaches",
    trusting({ resources: ["https://api.example"] }),
    async (w) => send(w, await peerJwt(), { scope: "api.read billing" }),
    refused("invalid_scope", "A scope is not allowed by this grant."),
  ),
  one(
    "RFC 7523 §3 (4): a configured bound takes the place of the usual hour",
    "jwt-bearer.jwt-expiry-near",
    trusting({}, { maxLifetime: 10 }),
    async (w) => send(w, await peerJwt({ exp: beginning + 11 })),
    refused("invalid_grant", "The assertion ends too far in the future."),
  ),
]
