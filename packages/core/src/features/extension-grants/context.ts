import * as Effect from "effect/Effect"
import type { LoadContext, OwnToken } from "../../extension/index.ts"
import type { Client, Confirmation, Json, JsonObject } from "../../model/index.ts"
import { isProved, readHandle } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, steps } from "../../ports/steps.ts"
import { grantedResources } from "../../rules/resource.ts"
import { isLive } from "../../rules/session.ts"
import { grantOfJti } from "../../rules/tokens.ts"
import { loadAccessToken } from "../../settle/accessToken.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import { verifyBy } from "../../settle/remote.ts"
import { type Inquiry, digestOf, findBy, isUsed } from "../../settle/request.ts"

/** A value that may be used once, with its state in the store. */
export interface Use {
  readonly key: string
  readonly used: boolean
}

/** Finds whether a value was used up. */
export const useOf = (grantType: string, key: string, inquiry: Inquiry): Effect.Effect<Use, PortFailed> =>
  onward(digestOf(inquiry.ports, JSON.stringify([grantType, key])), (digest) => {
    const stored = `extension grant ${digest}`
    return mapped(isUsed(stored, inquiry), (used) => ({ key: stored, used }))
  })

/** Reports whether the last known version of a token's client is enabled and its person, if it has one, is active. */
const stands = steps(function* (clientId: string, subject: string | undefined, { ports }: Inquiry) {
  const client = yield* ports.knownClients.find(clientId)
  if (client === undefined || client.disabled) return false
  return subject === undefined || (yield* ports.authenticator.find(subject))?.active === true
})

/**
 * Judges a bound token, which may be used only by those who prove the key or certificate that it is bound to (RFC 9449 §7.1, RFC 8705 §3).
 */
const presented = (standing: boolean, bound: Confirmation | undefined, inquiry: Inquiry): Pick<OwnToken, "live" | "unproved"> => {
  const proved = isProved(bound, inquiry.about.proved)
  return { live: standing && proved, unproved: standing && !proved }
}

const accessToken = steps(function* (value: string, inquiry: Inquiry) {
  const found = yield* loadAccessToken(value, inquiry)
  if (found === undefined) return undefined
  const { clientId, subject, sub, scope, audience, expiresAt, grantId, more } = found
  const standing = !found.revoked && (yield* stands(clientId, subject, inquiry))
  const own: OwnToken = {
    kind: "access_token",
    clientId,
    subject,
    sub,
    scope,
    audience,
    expiresAt,
    ...presented(standing, found.confirmation, inquiry),
    grantId,
    sessionId: undefined,
    claims: more,
  }
  return own
})

const refreshToken = steps(function* (value: string, inquiry: Inquiry) {
  const { ports } = inquiry
  const found = yield* findBy(ports, readHandle("r", value), ports.tokens.findRefreshToken, ({ token }) => token.digest)
  if (found === undefined) return undefined
  const { token, grant } = found
  const standing = grant.revokedAt === undefined && token.rotatedAt === undefined && (yield* stands(token.clientId, grant.subject, inquiry))
  const own: OwnToken = {
    kind: "refresh_token",
    clientId: token.clientId,
    subject: grant.subject,
    sub: grant.sub,
    scope: token.scope,
    audience: grantedResources(ports.settings, grant),
    expiresAt: token.expiresAt,
    ...presented(standing, token.confirmation, inquiry),
    grantId: grant.id,
    sessionId: undefined,
    claims: grant.extension?.claims ?? {},
  }
  return own
})

const usual = ["iss", "sub", "aud", "exp", "iat", "auth_time", "jti", "nonce", "acr", "amr", "sid", "at_hash", "c_hash", "azp"]

const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/**
 * Reads an ID token, which this provider signed for one client about a sign-in (OpenID Connect Core §2). Its `jti` begins with its grant.
 */
const idToken = steps(function* (value: string, inquiry: Inquiry) {
  const { ports, now } = inquiry
  const claims = yield* loadIdToken(value, inquiry)
  if (claims === undefined) return undefined
  const [aud, sub, exp] = [text(claims["aud"]), text(claims["sub"]), claims["exp"]]
  if (aud === undefined || sub === undefined || typeof exp !== "number" || typeof claims["auth_time"] !== "number") return undefined
  const grantId = grantOfJti(text(claims["jti"]) ?? "")
  const grant = grantId === undefined ? undefined : yield* ports.tokens.findGrant(grantId)
  // The `sid` depends on the client's sector; the grant has the session's locator.
  const sessionId = claims["sid"] === undefined ? undefined : grant?.sessionId
  const ended = sessionId !== undefined && !isLive(yield* ports.tokens.findSession(sessionId), now)
  const own: OwnToken = {
    kind: "id_token",
    clientId: aud,
    subject: grant?.subject,
    sub,
    scope: [],
    audience: [aud],
    expiresAt: exp,
    live: grant !== undefined && grant.revokedAt === undefined && !ended && (yield* stands(aud, grant.subject, inquiry)),
    unproved: false,
    grantId,
    sessionId,
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => !usual.includes(name))) satisfies JsonObject,
  }
  return own
})

/** The lookups that an extension grant's `load` may make, as promises. */
export const loadContext = (grantType: string, tokenPath: string, client: Client, inquiry: Inquiry): LoadContext<undefined> => {
  const { ports, now } = inquiry
  const asked = <A>(effect: Effect.Effect<A, PortFailed>): Promise<A> => Effect.runPromise(effect)
  return {
    client,
    policy: undefined,
    settings: ports.settings,
    tokenEndpoint: `${ports.settings.issuer.replace(/\/$/, "")}${tokenPath}`,
    now,
    clients: { find: (clientId) => asked(ports.clients.find(clientId)) },
    confirmation: inquiry.about.confirmation,
    people: {
      find: (subject) => asked(ports.authenticator.find(subject)),
      identify: (hint) => asked((ports.authenticator.identify ?? ports.authenticator.find)(hint)),
    },
    accessToken: (value) => asked(accessToken(value, inquiry)),
    idToken: (value) => asked(idToken(value, inquiry)),
    refreshToken: (value) => asked(refreshToken(value, inquiry)),
    verifyJwt: (jwt, keys, algorithms) => asked(verifyBy(jwt, { jwks: undefined, jwksUri: undefined, ...keys }, algorithms, inquiry)),
    usedBefore: (key) => asked(mapped(useOf(grantType, key, inquiry), ({ used }) => used)),
  }
}
