import type { AuthorizationParameters, Json, JsonObject, ResponseParams } from "../../../model/index.ts"
import { paramsOf } from "../../../wire/index.ts"
import { keptLength, longestKept } from "../../../rules/length.ts"
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

const pairsOf = ([name, value]: readonly [string, Json], { repeated }: AuthorizationParameters): ResponseParams => {
  if (ofTheJwt.has(name)) return []
  // A parameter that may come more than once is a list (RFC 8707 §2).
  const values = repeated.has(name) && Array.isArray(value) ? (value as ReadonlyArray<Json>).flatMap(written) : written(value)
  return values.map((each) => [name, each])
}

/** The request that an object's claims are. What only the query says is not part of it (RFC 9101 §6.3). */
export const requestOf = (claims: JsonObject, parameters: AuthorizationParameters): AuthorizeRequest => {
  const params = paramsOf(Object.entries(claims).flatMap((claim) => pairsOf(claim, parameters)))
  const request = authorizeRequest(params, true, 0, parameters)
  return { ...request, length: keptLength(keptParams(request)) }
}

/**
 * The request that a refusal is answered to, where its object says how: each parameter that shapes an answer as the object has it, else as
 * it stands beside it (OpenID Connect Core §6.1). Nothing of this is verified, and it needs not be: a redirect_uri counts if it is the
 * client's own, as one in a query does. An object that names another client, or is too long to answer to, is passed over.
 */
export const answeredTo = (q: AuthorizeRequest, said: JsonObject | undefined): AuthorizeRequest => {
  if (said === undefined || (said["client_id"] !== undefined && said["client_id"] !== q.clientId)) return q
  const { length, redirectUri, responseType, responseMode, state } = requestOf(said, q.parameters)
  if (length > longestKept) return q
  return {
    ...q,
    redirectUri: redirectUri ?? q.redirectUri,
    responseType: responseType ?? q.responseType,
    responseMode: responseMode ?? q.responseMode,
    state: state ?? q.state,
  }
}
