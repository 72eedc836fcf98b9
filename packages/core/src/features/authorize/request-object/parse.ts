import type { AuthorizationParameters, Json, JsonObject, ResponseParams } from "../../../model/index.ts"
import { paramsOf } from "../../../wire/index.ts"
import { keptLength, longestKept } from "../../../rules/length.ts"
import { type AuthorizeRequest, authorizeRequest, keptParams } from "../parse.ts"

/** Claims about the JWT itself (RFC 7519 §4.1); every other claim is a parameter (RFC 9101 §4). */
const ofTheJwt: ReadonlySet<string> = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"])

/**
 * A claim in the form that its parameter would have in a query: an object or a list is serialized as JSON, as `claims` is (OpenID Connect
 * Core §6.1).
 */
const written = (value: Json): ReadonlyArray<string> => {
  if (value === null) return []
  // A JSON string may contain a lone surrogate, which a query cannot carry.
  if (typeof value === "string") return [value.toWellFormed()]
  return [typeof value === "object" ? JSON.stringify(value) : String(value)]
}

const pairsOf = ([name, value]: readonly [string, Json], { repeated }: AuthorizationParameters): ResponseParams => {
  if (ofTheJwt.has(name)) return []
  // A parameter that may be repeated is a list (RFC 8707 §2).
  const values = repeated.has(name) && Array.isArray(value) ? (value as ReadonlyArray<Json>).flatMap(written) : written(value)
  return values.map((each) => [name, each])
}

/** The request that the claims of an object make up. Parameters that only the query has are not part of it (RFC 9101 §6.3). */
export const requestOf = (claims: JsonObject, parameters: AuthorizationParameters): AuthorizeRequest => {
  const params = paramsOf(Object.entries(claims).flatMap((claim) => pairsOf(claim, parameters)))
  const request = authorizeRequest(params, true, 0, parameters)
  return { ...request, length: keptLength(keptParams(request)) }
}

/**
 * The request to which a refusal responds: each parameter that affects the response has the value of the object if it has one, otherwise
 * the value beside it (OpenID Connect Core §6.1). Nothing of this needs to be verified, because a redirect_uri is accepted only if it
 * belongs to the client, as in a query. An object that names another client, or that is too long to answer, is ignored.
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
