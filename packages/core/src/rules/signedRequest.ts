import type { Json, JsonObject, ResponseParams } from "../model/index.ts"

/** Claims about a JWT itself (RFC 7519 §4.1). Every other claim of a signed request is a parameter (RFC 9101 §4, CIBA Core §7.1.1). */
export const claimsOfTheJwt: ReadonlySet<string> = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"])

/**
 * Parameters that may accompany a signed request which must carry all others itself: those that authenticate the client (RFC 9126 §3, CIBA
 * Core §7.1.1).
 */
export const besideSigned: ReadonlySet<string> = new Set([
  "request",
  "client_id",
  "client_secret",
  "client_assertion",
  "client_assertion_type",
])

/**
 * A claim in the form that its parameter would have in a query or a form: an object or a list is serialized as JSON, as `claims` (OpenID
 * Connect Core §6.1) and `authorization_details` (RFC 9396 §2) are. `null` is no value.
 */
const written = (value: Json): ReadonlyArray<string> => {
  if (value === null) return []
  // A JSON string may contain a lone surrogate, which a query cannot carry.
  if (typeof value === "string") return [value.toWellFormed()]
  return [typeof value === "object" ? JSON.stringify(value) : String(value)]
}

/**
 * Returns the parameters in the claims of a signed request. A list is several values of a parameter that may be repeated, such as `resource`
 * (RFC 8707 §2). Of any other list the first value would count, and the rest would go unnoticed.
 */
export const pairsIn = (claims: JsonObject, mayRepeat: (name: string) => boolean): ResponseParams =>
  Object.entries(claims).flatMap(([name, value]) => {
    if (claimsOfTheJwt.has(name)) return []
    const values = mayRepeat(name) && Array.isArray(value) ? (value as ReadonlyArray<Json>).flatMap(written) : written(value)
    return values.map((each) => [name, each] as const)
  })
