import * as Effect from "effect/Effect"
import type { LoadContext, OwnToken } from "../extension/index.ts"
import type { Client, Json, JsonObject } from "../model/index.ts"
import { readHandle } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { grantedResources } from "../rules/resource.ts"
import { isLive } from "../rules/session.ts"
import { loadAccessToken } from "./accessToken.ts"
import { verifyBy } from "./remote.ts"
import { type Inquiry, digestOf, findBy } from "./request.ts"
import { subjectFor } from "./subject.ts"

/** The key that something an extension grant uses once is counted under. */
export const useKey = (grantType: string, key: string, { ports }: Inquiry) =>
  Effect.map(digestOf(ports, JSON.stringify([grantType, key])), (digest) => `extension grant ${digest}`)

/** Whether something was used up. */
export const wasUsed = Effect.fnUntraced(function* (grantType: string, key: string, inquiry: Inquiry) {
  const attempts = yield* inquiry.ports.tokens.findAttempts(yield* useKey(grantType, key, inquiry))
  return attempts !== undefined && attempts.resetAt > inquiry.now
})

const isEnabled = (clientId: string, { ports }: Inquiry) =>
  Effect.map(ports.clients.find(clientId), (client) => client !== undefined && !client.disabled)

const accessToken = Effect.fnUntraced(function* (value: string, inquiry: Inquiry) {
  const found = yield* loadAccessToken(value, inquiry)
  if (found === undefined) return undefined
  const { clientId, subject, sub, scope, audience, expiresAt, grantId, more } = found
  return {
    kind: "access_token",
    clientId,
    subject,
    sub,
    scope,
    audience,
    expiresAt,
    live: !found.revoked && (yield* isEnabled(clientId, inquiry)),
    grantId,
    sessionId: undefined,
    claims: more,
  } satisfies OwnToken as OwnToken
})

const refreshToken = Effect.fnUntraced(function* (value: string, inquiry: Inquiry) {
  const { ports } = inquiry
  const found = yield* findBy(ports, readHandle("r", value), ports.tokens.findRefreshToken, ({ token }) => token.digest)
  if (found === undefined) return undefined
  const { token, grant } = found
  return {
    kind: "refresh_token",
    clientId: token.clientId,
    subject: grant.subject,
    sub: grant.sub,
    scope: token.scope,
    audience: grantedResources(ports.settings, grant),
    expiresAt: token.expiresAt,
    live: grant.revokedAt === undefined && token.rotatedAt === undefined && (yield* isEnabled(token.clientId, inquiry)),
    grantId: grant.id,
    sessionId: undefined,
    claims: grant.extension?.claims ?? {},
  } satisfies OwnToken as OwnToken
})

const usual = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash", "c_hash", "azp"]

const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** Reads an ID token: what we signed for one client, about a sign-in (OpenID Connect Core §2). */
const idToken = Effect.fnUntraced(function* (value: string, inquiry: Inquiry) {
  const { ports, now } = inquiry
  const claims = yield* ports.signer.verify(value, "JWT")
  if (claims === undefined || claims["iss"] !== ports.settings.issuer) return undefined
  const [aud, sub, exp, sid] = [text(claims["aud"]), text(claims["sub"]), claims["exp"], text(claims["sid"])]
  if (aud === undefined || sub === undefined || typeof exp !== "number" || typeof claims["auth_time"] !== "number") return undefined
  const client = yield* ports.clients.find(aud)
  const session = sid === undefined ? undefined : yield* ports.tokens.findSession(sid)
  const ended = sid !== undefined && !isLive(session, now)
  return {
    kind: "id_token",
    clientId: aud,
    subject: client === undefined ? undefined : yield* personOf(client, sub, session?.subject, inquiry),
    sub,
    scope: [],
    audience: [aud],
    expiresAt: exp,
    live: client !== undefined && !client.disabled && !ended,
    grantId: undefined,
    sessionId: sid,
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => !usual.includes(name))) satisfies JsonObject,
  } satisfies OwnToken as OwnToken
})

/** Whom a `sub` stands for: a pairwise one says so only together with the session it was made in. */
const personOf = Effect.fnUntraced(function* (client: Client, sub: string, signedIn: string | undefined, inquiry: Inquiry) {
  if (client.subjectType === "public") return sub
  return signedIn !== undefined && (yield* subjectFor(client, signedIn, inquiry)) === sub ? signedIn : undefined
})

/** What an extension grant's `load` may ask, as promises. */
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
    people: { find: (subject) => asked(ports.authenticator.find(subject)) },
    accessToken: (value) => asked(accessToken(value, inquiry)),
    idToken: (value) => asked(idToken(value, inquiry)),
    refreshToken: (value) => asked(refreshToken(value, inquiry)),
    verifyJwt: (jwt, keys, algorithms) => asked(verifyBy(jwt, { jwks: undefined, jwksUri: undefined, ...keys }, algorithms, inquiry)),
    usedBefore: (key) => asked(wasUsed(grantType, key, inquiry)),
  }
}
