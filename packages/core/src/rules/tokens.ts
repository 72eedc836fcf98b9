import type { Grant, Instant, Json, JsonObject, Locator } from "../model/index.ts"

/** Omits absent values from claims, rather than sending null. */
export const present = (claims: Readonly<Record<string, Json | undefined>>): JsonObject => {
  const kept: Record<string, Json> = {}
  for (const name of Object.keys(claims)) {
    const value = claims[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** The standard claims of an access token; those of an extension grant never replace them. */
const usualClaims = [
  "iss",
  "sub",
  "aud",
  "client_id",
  "scope",
  "iat",
  "exp",
  "nbf",
  "jti",
  "auth_time",
  "acr",
  "amr",
  "sid",
  "cnf",
  "authorization_details",
]

/**
 * Claim names that an extension grant must not use: the standard ones, those that introspection adds, and `act`, which is stated
 * separately.
 */
export const reservedClaims: ReadonlyArray<string> = [...usualClaims, "act", "active", "token_type", "username"]

/** Returns the claims of an access token in addition to the standard ones. */
export const extensionClaims = (claims: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !usualClaims.includes(name)))

/** Returns the time of the sign-in that a grant's tokens state (RFC 9068 §2.2.1); undefined if an extension grant did not provide it. */
export const authTimeOf = ({ authTime, extension }: Pick<Grant, "authTime" | "extension">): Instant | undefined =>
  extension === undefined || extension.signInTold === true ? authTime : undefined

/** Builds the `jti` of a JWT, which begins with its grant so that a revocation of the grant is noticed. */
export const jtiOf = (grantId: Locator | undefined, unique: Locator): string => (grantId === undefined ? unique : `${grantId}.${unique}`)

/** Returns the grant in a `jti`; undefined for a token issued to a client for itself. */
export const grantOfJti = (jti: string): Locator | undefined => {
  const dot = jti.indexOf(".")
  return dot < 0 ? undefined : jti.slice(0, dot)
}

/** The prefix of the unique part of an ID token's `jti`, so that it is never mistaken for an access token with the same `typ`. */
const ofIdToken = "id."

/** Builds the `jti` of an ID token. */
export const idTokenJti = (grantId: Locator, unique: Locator): string => jtiOf(grantId, ofIdToken + unique)

/** Reports whether a `jti` is one of our ID tokens'. */
export const isIdTokenJti = (jti: string): boolean => jti.includes(`.${ofIdToken}`)
