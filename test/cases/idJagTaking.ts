import { type ClientMetadata, type IdJagOptions } from "@postern/core"
import { jwtBearer } from "@postern/core/grants"
import { claimsOf } from "../support/flows.ts"
import { assertion, asserting, crossing, redeem } from "../support/idJags.ts"
import { peerIssuer, peerJwks } from "../support/peer.ts"
import { ownKey, otherKey, prove } from "../support/proofs.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, issuer } from "../support/world.ts"
import { type Case, refused } from "./case.ts"
import { mappedContexts, toldSignInCases } from "./toldSignIns.ts"

const one = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Case["expect"]): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const taking = (changes: Parameters<typeof asserting>[0] = {}, client: Partial<ClientMetadata> = {}, more: WorldOptions["more"] = {}) =>
  crossing({ identityProviders: [asserting(changes)] } satisfies IdJagOptions, client, more)

type Claims = Parameters<typeof assertion>[0]

const sends = async (w: World, claims: Claims = {}, fields: Record<string, string> = {}): Promise<Said> =>
  redeem(w, await assertion(claims), fields)
const proves = async (w: World, claims: Claims, key = ownKey): Promise<Said> =>
  prove(
    w,
    "/connect/token",
    "wiki",
    { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: await assertion(claims) },
    { key },
  )
const saying = (answer: Said): Said => ({ ...answer, json: claimsOf(String(answer.json?.["access_token"])) })

const refuses = (
  title: string,
  id: string,
  claims: Claims,
  description: string,
  options: WorldOptions = taking(),
  error = "invalid_grant",
): Case => one(title, `id-jag-bearer.${id}`, options, (w) => sends(w, claims), refused(error, description))

const oneOwn = "The assertion is not meant for this provider alone."
const otherClient = "The assertion is meant for another client."
const unproved = "The assertion needs a proof of possession."
const noForm = "The assertion's scope or resource has no sound form."
const unknownPerson = "The assertion is not about a person known here."
const noResource = refused("invalid_target", "A resource is unknown or not allowed.")

/** The identity provider knows Bob by another name than we do, and vouches for addresses. */
const mapped = (more: Parameters<typeof asserting>[0] = {}) => taking({ subjects: { u7: "sub-bob" }, email: true, ...more })

const known = (options: WorldOptions): WorldOptions => ({
  ...options,
  authenticator: {
    identify: (hint) =>
      ["alice", "alice@example.com", "alice@EXAMPLE.com"].includes(hint)
        ? {
            subject: "sub-alice",
            username: "alice",
            active: true,
            claims: { email: hint === "alice" ? "alice@example.com" : hint, email_verified: true },
          }
        : undefined,
  },
})

const successes: ReadonlyArray<Case> = [
  one(
    "ID-JAG §4.4.2, §4.4.3: an access token and its scope are given, and no refresh token",
    undefined,
    taking(),
    async (w) => {
      const answer = await sends(w, { scope: "openid api.read offline_access" })
      const { access_token: _, ...json } = answer.json ?? {}
      return { ...answer, json: { all: JSON.stringify(json) } }
    },
    { status: 200, json: { all: '{"token_type":"Bearer","expires_in":3600,"scope":"openid api.read"}' } },
  ),
  one(
    "ID-JAG §4.4.1: the token is the person's and the client's, for the resource that the grant names",
    undefined,
    taking(),
    async (w) => saying(await sends(w, { resource: "https://api.example", scope: "api.read billing" })),
    { status: 200, json: { sub: "sub-alice", client_id: "wiki", aud: "https://api.example", scope: "api.read" } },
  ),
  one(
    "ID-JAG §4.4.1: an aud may be a list of one, and resources that are unknown here are left out",
    undefined,
    taking(),
    async (w) => saying(await sends(w, { aud: [issuer], resource: ["https://api.example", "https://else.example"], scope: "api.read" })),
    { status: 200, json: { aud: "https://api.example" } },
  ),
  one(
    "ID-JAG §4.4.1: scopes are narrowed to those of the policy and of the client",
    undefined,
    taking({ scope: ["api.read", "billing"] }, { scope: "api.read api.write" }),
    (w) => sends(w, { scope: "api.read api.write billing unknown" }),
    { status: 200, json: { scope: "api.read" } },
  ),
  one(
    "RFC 7521 §4.1: and to those that the request asks for",
    undefined,
    taking(),
    (w) => sends(w, { scope: "api.read api.write" }, { scope: "api.write" }),
    { status: 200, json: { scope: "api.write" } },
  ),
  one(
    "RFC 8725 §3.11: the typ may be a whole media type, in any case",
    undefined,
    taking(),
    async (w) => redeem(w, await assertion({}, "Application/OAuth-id-jag+JWT")),
    { status: 200 },
  ),
  one(
    "ID-JAG §9.8.1: a grant that is bound to a key is taken with its proof, and the token is bound to it",
    undefined,
    taking(),
    async (w) => saying(await proves(w, { cnf: { jkt: ownKey.jkt } })),
    {
      status: 200,
      json: { cnf: { jkt: ownKey.jkt } },
    },
  ),
  one(
    "ID-JAG §4.4.3: where the operator says so, a grant is taken again until it ends",
    undefined,
    taking({ reusable: true }),
    async (w) => {
      await sends(w)
      return sends(w)
    },
    { status: 200 },
  ),
  one("ID-JAG §3.1: the subject may be mapped to ours", undefined, mapped(), async (w) => saying(await sends(w, { sub: "u7" })), {
    status: 200,
    json: { sub: "sub-bob" },
  }),
  one(
    "ID-JAG §3.1: whom the table does not name may be known by a verified address, where the operator says so",
    undefined,
    known(mapped()),
    async (w) => saying(await sends(w, { sub: "u8", email: "alice@example.com", email_verified: true })),
    { status: 200, json: { sub: "sub-alice" } },
  ),
  one("RFC 8693 §4.1: the actor of the grant stays", undefined, taking(), async (w) => saying(await sends(w, { act: { sub: "robot" } })), {
    status: 200,
    json: { act: { sub: "robot" } },
  }),
  one(
    "RFC 7523 §2.1: beside JWT bearer assertions, whose jti it shares",
    "extension.unused",
    { ...taking(), more: { ...taking().more, grants: [jwtBearer({ issuers: [{ issuer: peerIssuer, jwks: peerJwks }] })] } },
    async (w) => {
      await redeem(w, await assertion({}, "JWT"))
      return sends(w)
    },
    refused("invalid_grant", "It has been used before."),
  ),
]

const subjects: ReadonlyArray<Case> = [
  refuses(
    "ID-JAG §3.1: a subject that the table does not name is nobody here",
    "jwt-subject-known",
    { sub: "u8" },
    unknownPerson,
    mapped(),
  ),
  refuses(
    "ID-JAG §3.1: an address that its issuer has not verified names nobody",
    "jwt-subject-known",
    { sub: "u8", email: "alice@example.com", email_verified: false },
    unknownPerson,
    known(mapped()),
  ),
  refuses(
    "OpenID Connect Core §5.7: nor does one that its issuer does not state to be verified",
    "jwt-subject-known",
    { sub: "u8", email: "alice@example.com" },
    unknownPerson,
    known(mapped()),
  ),
  refuses(
    "OpenID Connect Core §5.1: email_verified is a boolean, and no text that says so",
    "jwt-subject-known",
    { sub: "u8", email: "alice@example.com", email_verified: "true" },
    unknownPerson,
    known(mapped()),
  ),
  refuses(
    "ID-JAG §3.1: a username is nobody's address",
    "jwt-subject-known",
    { sub: "u8", email: "alice", email_verified: true },
    unknownPerson,
    known(mapped()),
  ),
  one(
    "ID-JAG §3.1: addresses count in the domains that the operator names, in any case of their letters",
    undefined,
    known(mapped({ emailDomains: ["example.com"] })),
    async (w) => saying(await sends(w, { sub: "u8", email: "alice@EXAMPLE.com", email_verified: true })),
    { status: 200, json: { sub: "sub-alice" } },
  ),
  refuses(
    "ID-JAG §3.1: and in no other domain: an employer vouches for its own people",
    "jwt-subject-known",
    { sub: "u8", email: "alice@example.com", email_verified: true },
    unknownPerson,
    known(mapped({ emailDomains: ["ample.com", "acme.example"] })),
  ),
  refuses(
    "ID-JAG §3.1: no address counts of an issuer that is not trusted with addresses",
    "jwt-subject-known",
    { sub: "u8", email: "alice@example.com", email_verified: true },
    unknownPerson,
    known(mapped({ email: false })),
  ),
  one(
    "ID-JAG §3.1: the person must be active",
    "extension.person-active",
    taking(),
    (w) => sends(w, { sub: "sub-mallory" }),
    refused("invalid_grant", "The person can no longer sign in."),
  ),
  refuses(
    "ID-JAG §6.1: a tenant that is not trusted is another issuer",
    "jwt-issuer",
    { tenant: "blue" },
    "The assertion is not from a trusted issuer.",
  ),
  refuses(
    "ID-JAG §6.1: so is a grant without the tenant that is",
    "jwt-issuer",
    {},
    "The assertion is not from a trusted issuer.",
    taking({ tenant: "blue" }),
  ),
  one(
    "ID-JAG §6.1: a grant of the tenant that is trusted is taken",
    undefined,
    taking({ tenant: "blue" }),
    (w) => sends(w, { tenant: "blue" }),
    {
      status: 200,
    },
  ),
]

const assertions: ReadonlyArray<Case> = [
  one(
    "RFC 7523 §2.1: no assertion is refused",
    "id-jag-bearer.assertion-present",
    taking(),
    (w) => redeem(w, ""),
    refused("invalid_request", "The assertion is missing."),
  ),
  one(
    "ID-JAG §9.1: a public client may not use a grant",
    "id-jag-bearer.confidential",
    taking(),
    async (w) => redeem(w, await assertion({ client_id: "spa" }), {}, "spa"),
    refused("unauthorized_client", "The client must authenticate to use an assertion."),
  ),
  refuses(
    "ID-JAG §9.3: a grant of our own for others opens nothing here",
    "foreign",
    { iss: issuer },
    "The assertion was issued here.",
    taking({ issuer }),
  ),
  one(
    "ID-JAG §4.4.1: a JWT of another type is refused",
    "id-jag-bearer.jwt-type",
    taking(),
    async (w) => redeem(w, await assertion({}, "JWT")),
    refused("invalid_grant", "The assertion is of another type."),
  ),
  refuses(
    "RFC 7523 §3 (1): an issuer that is not trusted is refused",
    "jwt-issuer",
    { iss: "https://else.example" },
    "The assertion is not from a trusted issuer.",
  ),
  one(
    "RFC 7523 §3 (9): a changed grant is refused",
    "id-jag-bearer.jwt-signature",
    taking(),
    async (w) => {
      const [head, body, signature] = (await assertion()).split(".")
      const more = Buffer.from(JSON.stringify({ ...claimsOf(`.${body}`), scope: "api.write" })).toString("base64url")
      return redeem(w, `${head}.${more}.${signature}`)
    },
    refused("invalid_grant", "The assertion is not valid."),
  ),
  refuses("RFC 7523 §3 (2): no sub is refused", "jwt-subject-present", { sub: undefined }, "The assertion names no subject."),
  refuses(
    "RFC 7523 §3 (3): a grant for another server is refused",
    "jwt-audience",
    { aud: "https://else.example" },
    "The assertion is not meant for this provider.",
  ),
  refuses("ID-JAG §4.4.1: the token endpoint is no issuer", "audience-one", { aud: `${issuer}/connect/token` }, oneOwn),
  refuses("ID-JAG §4.4.1: a grant for two servers is refused", "audience-one", { aud: [issuer, "https://else.example"] }, oneOwn),
  refuses("RFC 7523 §3 (4): no exp is refused", "jwt-expiry-present", { exp: undefined }, "The assertion does not say when it ends."),
  refuses("RFC 7523 §3 (4): an expired grant is refused", "jwt-fresh", { exp: beginning }, "The assertion has expired."),
  refuses(
    "RFC 7523 §3 (4): an exp too far ahead is refused",
    "jwt-expiry-near",
    { exp: beginning + 3601 },
    "The assertion ends too far in the future.",
  ),
  refuses(
    "RFC 7523 §3 (5): a grant that begins later is refused",
    "jwt-not-before",
    { nbf: beginning + 31 },
    "The assertion is not valid yet.",
  ),
  refuses(
    "RFC 7523 §3 (6): a grant from the future is refused",
    "jwt-issued-at",
    { iat: beginning + 31 },
    "The assertion was issued in the future.",
  ),
  refuses("ID-JAG §3.1: no iat is refused", "issued-at-present", { iat: undefined }, "The assertion does not say when it was issued."),
  refuses("ID-JAG §3.1: no jti is refused", "jti-present", { jti: undefined }, "The assertion has no jti."),
  refuses("ID-JAG §4.4.1: a grant for another client is refused", "client", { client_id: "gist" }, otherClient),
  refuses("ID-JAG §4.4.1: and one for none", "client", { client_id: undefined }, otherClient),
  refuses(
    "RFC 7521 §5.2: a client that the operator does not name for this issuer is refused",
    "client-allowed",
    {},
    "The client may not use assertions of this issuer.",
    taking({ clients: ["gist"] }),
  ),
  refuses("ID-JAG §9.8.1: a bound grant without a proof is refused", "confirmation", { cnf: { jkt: ownKey.jkt } }, unproved),
  one(
    "ID-JAG §9.8.1: and with a proof by another key",
    "id-jag-bearer.confirmation",
    taking(),
    (w) => proves(w, { cnf: { jkt: ownKey.jkt } }, otherKey),
    refused("invalid_grant", unproved),
  ),
  refuses("RFC 7800 §3.1: a binding of an unknown kind is refused", "confirmation", { cnf: { kid: "k1" } }, unproved),
  refuses("RFC 6749 §3.3: a scope that is no text is refused", "permission-form", { scope: ["api.read"] }, noForm),
  refuses("RFC 8707 §2: a resource that is no text is refused", "permission-form", { resource: [7] }, noForm),
  one(
    "ID-JAG §3.1: a grant counts once",
    "extension.unused",
    taking(),
    async (w) => {
      await sends(w)
      return sends(w)
    },
    refused("invalid_grant", "It has been used before."),
  ),
  one(
    "ID-JAG §4.4.1: a resource beyond the grant's is refused",
    "id-jag-bearer.resource-within",
    taking(),
    (w) => sends(w, { resource: "https://billing.example", scope: "api.read billing" }, { resource: "https://api.example" }),
    noResource,
  ),
  one(
    "ID-JAG §4.4.1: a grant for unknown resources alone is refused",
    "id-jag-bearer.resource-known",
    taking(),
    (w) => sends(w, { resource: "https://else.example" }),
    noResource,
  ),
  one(
    "ID-JAG §4.4.1: a scope beyond the grant's is refused",
    "id-jag-bearer.scope-within",
    taking(),
    (w) => sends(w, {}, { scope: "api.read api.write" }),
    refused("invalid_scope", "A scope goes beyond the assertion."),
  ),
  refuses(
    "ID-JAG §4.4.1: a grant without a scope gives none",
    "scope-left",
    { scope: undefined },
    "No scope is left.",
    taking(),
    "invalid_scope",
  ),
]

/** Identity assertion JWT authorization grants, taken: draft-ietf-oauth-identity-assertion-authz-grant §4.4. */
export const cases: ReadonlyArray<Case> = [
  ...successes,
  ...subjects,
  ...assertions,
  ...toldSignInCases(
    "id-jag-bearer",
    "assertion",
    "invalid_grant",
    taking(),
    (w, claims) => sends(w, claims),
    taking({ acrValues: mappedContexts }),
  ),
]
