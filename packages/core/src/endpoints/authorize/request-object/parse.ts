import type { Json, JsonObject } from "../../../model/index.ts"
import { paramsOf } from "../../../wire/index.ts"
import { keptLength } from "../../../rules/length.ts"
import { type AuthorizeRequest, authorizeRequest, keptParams } from "../parse.ts"

/** Claims that say something of the JWT itself (RFC 7519 §4.1); every other one is a parameter (RFC 9101 §4). */
const ofTheJwt: ReadonlySet<string> = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"])

/** A claim as the value its parameter would have in a query: an object or a list is written as JSON, as `claims` is (OpenID Connect Core §6.1). */
const written = (value: Json): ReadonlyArray<string> => {
  if (value === null) return []
  // JSON can escape half a character, which no query carries.
  if (typeof value === "string") return [value.toWellFormed()]
  return [typeof value === "object" ? JSON.stringify(value) : String(value)]
}

const pairsOf = ([name, value]: readonly [string, Json]): ReadonlyArray<readonly [string, string]> => {
  if (ofTheJwt.has(name)) return []
  // The one parameter that may come more than once (RFC 8707 §2).
  const values = name === "resource" && Array.isArray(value) ? (value as ReadonlyArray<Json>).flatMap(written) : written(value)
  return values.map((each) => [name, each])
}

/** The request that an object's claims are. What only the query says is not part of it (RFC 9101 §6.3). */
export const requestOf = (claims: JsonObject): AuthorizeRequest => {
  const params = paramsOf(Object.entries(claims).flatMap(pairsOf))
  const request = authorizeRequest(params, true, 0)
  return { ...request, length: keptLength(keptParams(request)) }
}
