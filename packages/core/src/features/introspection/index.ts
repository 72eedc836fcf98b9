import type { Catalog, Client, Confirmation, Decision, DetailSettings, JsonObject, Person, Profile } from "../../model/index.ts"
import { isPublic, readHandle, refuse, tokenTypeOf } from "../../model/index.ts"
import type { FoundRefreshToken } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { detailsFor } from "../../rules/details/index.ts"
import { algorithmRefused, profileOf } from "../../rules/profile.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { type FoundAccess, loadAccessToken } from "../../settle/accessToken.ts"
import { authenticated } from "../../settle/client.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { form, replyJson } from "../../settle/programs.ts"
import { type Inquiry, findBy } from "../../settle/request.ts"

interface RequestSeen {
  readonly client: Client
  readonly profile: Profile
  readonly value: string | undefined
  /** True if the response is requested as a JWT. */
  readonly signed: boolean
}

/** Judges whether a client may introspect. It must authenticate and name a token (RFC 7662 §2.1). */
const request = table<RequestSeen>("introspection")
  .rule("introspection.confidential", "RFC 7662 §2.1, §4", (s) =>
    isPublic(s.client) ? refuse("invalid_client", "The client must authenticate.", "a public client; anyone could ask in its name") : pass,
  )
  .rule("introspection.algorithm-profile", "FAPI 2.0 Security Profile §5.4.1 (1), FAPI 1.0 Part 2 §8.6", ({ client, profile, signed }) =>
    signed ? algorithmRefused(profile, [client.introspectionSignedResponseAlg]) : pass,
  )
  .present("introspection.token-present", "RFC 7662 §2.1", "value", () => refuse("invalid_request", "The token is missing."))

/** An access or refresh token of this provider. */
interface Token extends Pick<
  FoundAccess,
  "clientId" | "subject" | "scope" | "audience" | "expiresAt" | "revoked" | "more" | "authorizationDetails"
> {
  readonly rotated: boolean
  /** The members that describe only this kind of token (RFC 7662 §2.2). */
  readonly members: () => JsonObject
}

interface Found {
  readonly now: number
  /** The client that introspects. */
  readonly client: Client
  readonly token: Token | undefined
  /** The client to which the token was issued. */
  readonly holder: Client | undefined
  readonly person: Person | undefined
}

/**
 * Judges whether a token is active for the client that introspects, which learns nothing else about an inactive token (RFC 7662 §2.2, §4).
 */
const activity = table<Found, Objection>("introspection/active")
  .present("introspection.known", "RFC 7662 §2.2", "token", () => ({ reason: "not a token of this provider" }))
  .rule("introspection.visible", "RFC 7662 §4", ({ token, client }) =>
    token.clientId === client.clientId || token.audience.some((audience) => client.introspectionResources.includes(audience))
      ? pass
      : { reason: "neither issued to the client that asks nor meant for its resource" },
  )
  .rule("introspection.fresh", "RFC 7662 §2.2", (s) => (s.now < s.token.expiresAt ? pass : { reason: "expired" }))
  .rule("introspection.live", "RFC 7662 §2.2", (s) => (s.token.revoked ? { reason: "the token or its grant was revoked" } : pass))
  .rule("introspection.unrotated", "RFC 7662 §2.2", (s) => (s.token.rotated ? { reason: "the refresh token was rotated" } : pass))
  .establish("introspection.client-enabled", "RFC 7662 §2.2", ({ holder }) =>
    holder === undefined || holder.disabled ? { reason: "the token's client is gone or disabled" } : prove({ holder }),
  )
  .rule("introspection.person-active", "RFC 7662 §2.2", (s) =>
    s.token.subject === undefined || s.person?.active === true ? pass : { reason: "the token's person is gone or disabled" },
  )

/** The introspection endpoint: RFC 7662. */
export const introspection = endpoint(
  { name: "introspection", path: "/connect/introspect", methods: ["POST"], audience: "programs", cors: false },
  form("introspection")
    .through(authenticated)
    .read(({ params, client, message }, { ports: { settings } }) => ({
      value: params.one("token"),
      profile: profileOf(client, settings),
      signed: wantsJwt(message.headers["accept"]),
    }))
    .judge(request)
    .read(({ value }, inquiry) => {
      const { ports, now } = inquiry
      const refresh = readHandle("r", value)
      const found = together({
        access: loadAccessToken(value, inquiry),
        refresh: refresh && findBy(ports, refresh, ports.tokens.findRefreshToken, (row) => row.token.digest),
      })
      return onward(found, ({ access, refresh }) => {
        const token = access === undefined ? refresh && ofRefresh(refresh) : ofAccess(access)
        const holding = together({
          // The last known version of the client, so that a resource server does not wait for a host that a client names.
          holder: token && ports.knownClients.find(token.clientId),
          person: token?.subject === undefined ? undefined : ports.authenticator.find(token.subject),
        })
        return mapped(holding, ({ holder, person }) => ({ now, token, holder, person, about: { subject: token?.subject } }))
      })
    })
    .judge(activity, (_, seen, inquiry) => answer({ active: false }, seen, inquiry))
    .decide((seen, inquiry) => {
      const { issuer, catalog, details } = inquiry.ports.settings
      const { token } = seen
      const scope = token.scope.length === 0 ? {} : { scope: token.scope.join(" ") }
      const common = { active: true, iss: issuer, client_id: token.clientId, ...scope }
      const told = { ...token.more, ...common, ...token.members(), ...usernameOf(seen, catalog), ...detailsOf(seen, details) }
      return answer(told, seen, inquiry)
    }),
)

const ofRefresh = ({ token, grant }: FoundRefreshToken): Token => ({
  clientId: token.clientId,
  subject: grant.subject,
  scope: token.scope,
  audience: [],
  more: {},
  authorizationDetails: [],
  expiresAt: token.expiresAt,
  revoked: grant.revokedAt !== undefined,
  rotated: token.rotatedAt !== undefined,
  members: () => ({
    iat: token.createdAt,
    exp: token.expiresAt,
    token_type: "refresh_token",
    sub: grant.sub,
    ...bindingOf(token.confirmation),
  }),
})

/** The confirmation of a token (RFC 7800 §3.1, RFC 9449 §6.2, RFC 8705 §3.2). */
const bindingOf = (confirmation: Confirmation | undefined): JsonObject => (confirmation === undefined ? {} : { cnf: confirmation })

const ofAccess = (access: FoundAccess): Token => ({
  clientId: access.clientId,
  subject: access.subject,
  scope: access.scope,
  audience: access.audience,
  more: access.more,
  authorizationDetails: access.authorizationDetails,
  expiresAt: access.expiresAt,
  revoked: access.revoked,
  rotated: false,
  members: () => ({
    aud: access.audience.length === 1 ? (access.audience[0] ?? "") : access.audience,
    iat: access.createdAt,
    exp: access.expiresAt,
    jti: access.id,
    token_type: tokenTypeOf(access.confirmation),
    sub: access.sub,
    ...bindingOf(access.confirmation),
    // They tell a resource whether the sign-in was strong and recent enough (RFC 9470 §6.2).
    ...(access.authTime === undefined ? {} : { auth_time: access.authTime }),
    ...(access.acr === undefined ? {} : { acr: access.acr }),
    ...(access.amr.length === 0 ? {} : { amr: access.amr }),
  }),
})

/**
 * The username, for a token whose scope includes `preferred_username`, as `profile` does (OpenID Connect Core §5.4), so that nobody learns
 * here what the person has not released to the client. It is omitted for pairwise clients, because it would reveal to their sectors what
 * the subjects hide (§8.1).
 */
const usernameOf = (
  { person, token, holder }: { readonly person: Person | undefined; readonly token: Token; readonly holder: Client },
  { identity }: Catalog,
): JsonObject => {
  const told = token.scope.some((name) => identity.get(name)?.claims.includes("preferred_username") === true)
  return person === undefined || !told || holder.subjectType === "pairwise" ? {} : { username: person.username }
}

/**
 * The authorization details of a token: those for the resources of the client that introspects, or all if the token is its own (RFC 9396
 * §9.2).
 */
const detailsOf = (
  { token: { authorizationDetails, clientId }, client }: { readonly token: Token; readonly client: Client },
  known: DetailSettings | undefined,
): JsonObject => {
  const visible =
    clientId === client.clientId ? authorizationDetails : detailsFor(authorizationDetails, client.introspectionResources, known)
  return visible.length === 0 ? {} : { authorization_details: visible }
}

const jwtType = "application/token-introspection+jwt"

/** The most media types of an Accept header that are examined. */
const mostTypes = 20

/** Reports whether the response is requested as a JWT (RFC 9701 §4). */
const wantsJwt = (accept: string | undefined): boolean =>
  accept?.split(",", mostTypes).some((each) => each.split(";", 1)[0]?.trim().toLowerCase() === jwtType) === true

/** Makes the response, as JSON or as a JWT for the client that introspects (RFC 9701 §5). */
const answer = (body: JsonObject, { client, signed }: Pick<RequestSeen, "client" | "signed">, { ports, now }: Inquiry): Decision => {
  if (!signed) return replyJson(body)
  const { clientId, introspectionSignedResponseAlg: alg, introspectionEncryption, keys } = client
  return {
    _tag: "ReplyJwt",
    jwt: {
      alg,
      typ: "token-introspection+jwt",
      claims: { iss: ports.settings.issuer, aud: clientId, iat: now, token_introspection: body },
      encryption: introspectionEncryption && { ...introspectionEncryption, keys },
      contentType: jwtType,
    },
    commands: [],
  }
}
