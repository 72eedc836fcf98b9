import type { AuthorizationParameters, JsonObject } from "../../../model/index.ts"
import { paramsOf } from "../../../wire/index.ts"
import { keptLength, longestKept } from "../../../rules/length.ts"
import { pairsIn } from "../../../rules/signedRequest.ts"
import { type AuthorizeRequest, authorizeRequest, keptParams } from "../parse.ts"

/** The request that the claims of an object make up. Parameters that only the query has are not part of it (RFC 9101 §6.3). */
export const requestOf = (claims: JsonObject, parameters: AuthorizationParameters): AuthorizeRequest => {
  const params = paramsOf(pairsIn(claims, (name) => parameters.repeated.has(name)))
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
