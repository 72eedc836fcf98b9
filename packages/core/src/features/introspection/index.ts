import type { Catalogue, Client, Decision, JsonObject, Person, Refusal, Settings } from "../../model/index.ts"
import { isPublic, readHandle, refuse } from "../../model/index.ts"
import type { FoundRefreshToken } from "../../ports/index.ts"
import { steps } from "../../ports/steps.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../../rules/form.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { type FoundAccess, loadAccessToken } from "../../settle/accessToken.ts"
import { authenticateClient } from "../../settle/client.ts"
import { findBy } from "../../settle/request.ts"
import { isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

/** How an introspection request must look (RFC 7662 §2.1). */
const form = table<FormRequest, undefined>("introspection/form", [formEncoded("introspection"), parametersOnce("introspection")])

/** Who may ask, and what for. */
const request = table<{ readonly token: string | undefined }, { readonly client: Client }>("introspection", [
  rule("introspection.confidential", "RFC 7662 §2.1, §4", (_, s) =>
    isPublic(s.client) ? refuse("invalid_client", "The client must authenticate.", "a public client; anyone could ask in its name") : pass,
  ),
  rule("introspection.token-present", "RFC 7662 §2.1", (q) =>
    q.token === undefined ? refuse("invalid_request", "The token is missing.") : pass,
  ),
])

interface IntrospectionSeen {
  readonly now: number
  /** Who asks. */
  readonly asking: Client
  readonly access: FoundAccess | undefined
  readonly refresh: FoundRefreshToken | undefined
  /** Whom the token was issued to. */
  readonly client: Client | undefined
  readonly person: Person | undefined
}

const clientOf = ({ access, refresh }: IntrospectionSeen): string => access?.clientId ?? held(refresh).token.clientId
const subjectOf = ({ access, refresh }: IntrospectionSeen): string | undefined =>
  access === undefined ? held(refresh).grant.subject : access.subject

/** Why a token counts as inactive to the one who asks; it learns no more than that (RFC 7662 §2.2, §4). */
const activity = table<unknown, IntrospectionSeen, Objection>("introspection/active", [
  rule("introspection.known", "RFC 7662 §2.2", (_, s) =>
    s.access === undefined && s.refresh === undefined ? { reason: "not a token of this provider" } : pass,
  ),
  rule("introspection.visible", "RFC 7662 §4", (_, s) => {
    const forResource = s.access?.audience.some((audience) => s.asking.introspectionResources.includes(audience)) === true
    return clientOf(s) === s.asking.clientId || forResource
      ? pass
      : { reason: "neither issued to the client that asks nor meant for its resource" }
  }),
  rule("introspection.fresh", "RFC 7662 §2.2", (_, s) =>
    s.now < (s.access ?? held(s.refresh).token).expiresAt ? pass : { reason: "expired" },
  ),
  rule("introspection.live", "RFC 7662 §2.2", (_, s) =>
    s.access?.revoked === true || s.refresh?.grant.revokedAt !== undefined ? { reason: "the token or its grant was revoked" } : pass,
  ),
  rule("introspection.unrotated", "RFC 7662 §2.2", (_, s) =>
    s.refresh?.token.rotatedAt === undefined ? pass : { reason: "the refresh token was rotated" },
  ),
  rule("introspection.client-enabled", "RFC 7662 §2.2", (_, s) =>
    s.client === undefined || s.client.disabled ? { reason: "the token's client is gone or disabled" } : pass,
  ),
  rule("introspection.person-active", "RFC 7662 §2.2", (_, s) =>
    subjectOf(s) === undefined || s.person?.active === true ? pass : { reason: "the token's person is gone or disabled" },
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const introspectionTables = [form, request, activity] as const

/** The introspection endpoint: RFC 7662. */
export const introspection: Endpoint = {
  name: "introspection",
  path: "/connect/introspect",
  methods: ["POST"],
  audience: "programs",
  cors: false,
  attempt: steps(function* (message, inquiry) {
    const { ports, now, trace } = inquiry
    const refused = (refusal: Refusal): Decision => ({ _tag: "RefuseJson", refusal })
    const sent = { params: readParams(message.body), isForm: isForm(message.headers["content-type"]) }
    const malformed = judge(trace, form, sent, undefined)
    if (malformed !== undefined) return refused(malformed)
    const { client: asking, refusal } = yield* authenticateClient(message, sent.params, inquiry)
    if (asking === undefined) return refused(refusal)
    const token = sent.params.one("token")
    const unfit = judge(trace, request, { token }, { client: asking })
    if (unfit !== undefined) return refused(unfit)
    const access = yield* loadAccessToken(token, inquiry)
    const refresh = yield* findBy(ports, readHandle("r", token), ports.tokens.findRefreshToken, (found) => found.token.digest)
    const clientId = access?.clientId ?? refresh?.token.clientId
    const subject = access === undefined ? refresh?.grant.subject : access.subject
    inquiry.about.subject = subject
    const seen: IntrospectionSeen = {
      now,
      asking,
      access,
      refresh,
      client: clientId === undefined ? undefined : yield* ports.clients.find(clientId),
      person: subject === undefined ? undefined : yield* ports.authenticator.find(subject),
    }
    const inactive = judge(trace, activity, undefined, seen)
    const body = inactive === undefined ? describe(seen, ports.settings) : { active: false }
    return wantsJwt(message.headers["accept"]) ? signed(asking, body, seen, ports.settings.issuer) : plain(body)
  }),
}

const jwtType = "application/token-introspection+jwt"

/** The most media types of an Accept header that are looked at. */
const mostTypes = 20

/** Reports whether the answer is asked for as a JWT (RFC 9701 §4). */
const wantsJwt = (accept: string | undefined): boolean =>
  accept?.split(",", mostTypes).some((each) => each.split(";", 1)[0]?.trim().toLowerCase() === jwtType) === true

const plain = (body: JsonObject): Decision => ({ _tag: "Reply", body, cacheable: false, commands: [] })

/** The answer as a JWT for the one who asks (RFC 9701 §5). */
const signed = (
  { clientId, introspectionSignedResponseAlg: alg, introspectionEncryption, keys }: Client,
  body: JsonObject,
  { now }: IntrospectionSeen,
  issuer: string,
): Decision => ({
  _tag: "ReplyJwt",
  jwt: {
    alg,
    typ: "token-introspection+jwt",
    claims: { iss: issuer, aud: clientId, iat: now, token_introspection: body },
    encryption: introspectionEncryption && { ...introspectionEncryption, keys },
    contentType: jwtType,
  },
  commands: [],
})

/** The scopes of the token that was found. */
const scopeOf = ({ access, refresh }: IntrospectionSeen): ReadonlyArray<string> => access?.scope ?? held(refresh).token.scope

/**
 * The username, for a token whose scope tells `preferred_username`, as `profile` does (OpenID Connect Core §5.4): nobody learns here what
 * the person did not let the client have. The sectors of pairwise clients would learn what their subjects hide (§8.1).
 */
const usernameOf = (seen: IntrospectionSeen, { identity }: Catalogue): JsonObject => {
  const { client, person } = seen
  const told = scopeOf(seen).some((name) => identity.get(name)?.claims.includes("preferred_username") === true)
  return person === undefined || !told || client?.subjectType === "pairwise" ? {} : { username: person.username }
}

const describe = (seen: IntrospectionSeen, { issuer, catalogue }: Settings): JsonObject => {
  const { access, refresh } = seen
  const whose = usernameOf(seen, catalogue)
  if (access === undefined) {
    const { token } = held(refresh)
    return {
      active: true,
      iss: issuer,
      client_id: token.clientId,
      scope: token.scope.join(" "),
      iat: token.createdAt,
      exp: token.expiresAt,
      token_type: "refresh_token",
      sub: held(refresh).grant.sub,
      ...whose,
    }
  }
  return {
    ...access.more,
    active: true,
    iss: issuer,
    client_id: access.clientId,
    scope: access.scope.join(" "),
    aud: access.audience.length === 1 ? (access.audience[0] ?? "") : access.audience,
    iat: access.createdAt,
    exp: access.expiresAt,
    jti: access.id,
    token_type: "Bearer",
    sub: access.sub,
    // By these a resource tells whether the sign-in was strong and recent enough (RFC 9470 §6.2).
    ...(access.authTime === undefined ? {} : { auth_time: access.authTime }),
    ...(access.acr === undefined ? {} : { acr: access.acr }),
    ...whose,
  }
}
