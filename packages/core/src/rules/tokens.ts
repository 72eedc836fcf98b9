import type { Grant, Instant, Json, JsonObject, Locator } from "../model/index.ts"

/** An absent value is left out of claims rather than sent as null. */
export const present = (claims: Readonly<Record<string, Json | undefined>>): JsonObject => {
  const kept: Record<string, Json> = {}
  for (const name of Object.keys(claims)) {
    const value = claims[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** The claims that an access token has by itself; an extension grant's claims never take the place of these. */
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

/** Names that an extension grant may not give a claim: the usual ones, what introspection adds, and `act`, which is stated apart. */
export const reservedClaims: ReadonlyArray<string> = [...usualClaims, "act", "active", "token_type", "username"]

/** The claims of an access token beyond the usual ones. */
export const extensionClaims = (claims: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !usualClaims.includes(name)))

/** The time of the sign-in that a grant's tokens tell of (RFC 9068 §2.2.1); undefined where an extension grant did not tell. */
export const authTimeOf = ({ authTime, extension }: Pick<Grant, "authTime" | "extension">): Instant | undefined =>
  extension === undefined || extension.signInTold === true ? authTime : undefined

/** A JWT's `jti` leads with its grant, so that a revoked grant is noticed. */
export const jtiOf = (grantId: Locator | undefined, unique: Locator): string => (grantId === undefined ? unique : `${grantId}.${unique}`)

/** The grant that a `jti` names; undefined for a token made for a client alone. */
export const grantOfJti = (jti: string): Locator | undefined => {
  const dot = jti.indexOf(".")
  return dot < 0 ? undefined : jti.slice(0, dot)
}

/** The unique part of an ID token's `jti` leads with this, so that it is never taken for an access token under the same `typ`. */
const ofIdToken = "id."

/** The `jti` of an ID token. */
export const idTokenJti = (grantId: Locator, unique: Locator): string => jtiOf(grantId, ofIdToken + unique)

/** Reports whether a `jti` is one of our ID tokens'. */
export const isIdTokenJti = (jti: string): boolean => jti.includes(`.${ofIdToken}`)
