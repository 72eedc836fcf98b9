import type { AuthorizationParameter, AuthorizationParameters, Client, ResponseMode, ResponseParams, Settings } from "../../model/index.ts"
import { canonicalResponseType, scopeWords } from "../../model/index.ts"
import { type ClaimsRequest, readClaimsRequest } from "../../rules/claims.ts"
import { detailsParameter } from "../../rules/details/index.ts"
import { longestRequest } from "../../rules/length.ts"
import { loginHintOf } from "../../rules/showable.ts"
import type { Asked } from "../../settle/endpoint.ts"
import { type Params, isForm } from "../../wire/index.ts"
import { query } from "../response-modes/index.ts"

/** An authorization request as it was sent, before any rule has judged it (specification §2.1). */
export interface AuthorizeRequest {
  readonly params: Params
  /** The parameters that the provider knows. */
  readonly parameters: AuthorizationParameters
  /** The length of the request as it was sent, in characters. */
  readonly length: number
  /** False for a POST request whose body is not a form. */
  readonly isForm: boolean
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  /** The words of the response type in canonical order. */
  readonly responseType: string | undefined
  readonly responseMode: string | undefined
  readonly scope: ReadonlyArray<string>
  /** Resource indicators without duplicates (RFC 8707 §2). */
  readonly resources: ReadonlyArray<string>
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly prompt: ReadonlyArray<string>
  readonly maxAge: string | undefined
  readonly codeChallenge: string | undefined
  readonly codeChallengeMethod: string | undefined
  readonly idTokenHint: string | undefined
  readonly loginHint: string | undefined
  readonly claims: string | undefined
  /** The claims that the `claims` parameter requests; undefined if it cannot be parsed. */
  readonly claimsRequest: ClaimsRequest | undefined
  readonly claimsLocales: string | undefined
  /** The authorization details as they were sent (RFC 9396 §2); undefined if the provider does not know the parameter. */
  readonly authorizationDetails: string | undefined
}

/** Reads a request from its parameters: those of the message, or those stored while a person was asked. */
export const authorizeRequest = (params: Params, form: boolean, length: number, parameters: AuthorizationParameters): AuthorizeRequest => {
  const responseType = params.one("response_type")
  const claims = params.one("claims")
  return {
    params,
    parameters,
    length,
    isForm: form,
    clientId: params.one("client_id"),
    redirectUri: params.one("redirect_uri"),
    responseType: responseType === undefined ? undefined : canonicalResponseType(responseType),
    responseMode: params.one("response_mode"),
    scope: scopeWords(params.one("scope") ?? ""),
    resources: [...new Set(params.all("resource"))],
    state: params.one("state"),
    nonce: params.one("nonce"),
    prompt: scopeWords(params.one("prompt") ?? ""),
    maxAge: params.one("max_age"),
    codeChallenge: params.one("code_challenge"),
    codeChallengeMethod: params.one("code_challenge_method"),
    idTokenHint: params.one("id_token_hint"),
    loginHint: loginHintOf(params),
    claims,
    // A request that is too long is refused for its length, so its contents need not be parsed.
    claimsRequest: length > longestRequest ? undefined : readClaimsRequest(claims),
    claimsLocales: params.one("claims_locales"),
    // A request that is too long is refused for its length, so its contents need not be parsed.
    authorizationDetails: length > longestRequest || !parameters.known.has(detailsParameter) ? undefined : params.one(detailsParameter),
  }
}

/** A request that a client sends through the browser: its message, and the parameters of its query or form. */
export interface Arrived extends Asked {
  readonly params: Params
}

/** Reads a request from the message: the query of a GET, the form of a POST (OpenID Connect Core §3.1.2.1). */
export const parse = ({ message, params }: Arrived, parameters: AuthorizationParameters): AuthorizeRequest =>
  message.method === "POST"
    ? authorizeRequest(params, isForm(message.headers["content-type"]), message.body.length, parameters)
    : authorizeRequest(params, true, message.query.length, parameters)

/** The supported response types, in canonical word order (specification §2.1; `code token` by OAuth 2.0 Multiple Response Types §5). */
export const responseTypes: ReadonlyArray<string> = [
  "code",
  "code id_token",
  "code id_token token",
  "code token",
  "id_token",
  "id_token token",
  "token",
]

/** Reports whether a response type contains a word: `code`, `id_token` or `token`. */
export const gives = ({ responseType }: Pick<AuthorizeRequest, "responseType">, word: "code" | "id_token" | "token"): boolean =>
  responseType?.split(" ").includes(word) === true

/** Reports whether the response contains a token, which must never be in a query (OAuth 2.0 Multiple Response Types §3, §5). */
export const carriesToken = (q: AuthorizeRequest): boolean => gives(q, "id_token") || gives(q, "token")

/** The response mode that a request asks for, as it applies to its client; undefined if the provider has no such mode. */
export const askedMode = (
  q: AuthorizeRequest,
  client: Client,
  { responseModes }: Pick<Settings, "responseModes">,
): ResponseMode | undefined => {
  const mode = responseModes.get(q.responseMode ?? "")
  return mode?.forClient?.(client) ?? mode
}

/**
 * The response mode of a request, for errors too: the requested mode if it is possible, otherwise the default of the response type (OAuth
 * 2.0 Multiple Response Types §2.1, §5).
 */
export const modeOf = (q: AuthorizeRequest, client: Client, settings: Pick<Settings, "responseModes">): ResponseMode => {
  const asked = askedMode(q, client, settings) ?? query
  return (carriesToken(q) ? asked.withTokens : undefined) ?? asked
}

/**
 * The parameters that the authorization endpoint reads (specification §2.1). A waiting request stores these and those of other features.
 */
export const authorizationParameters: ReadonlyArray<AuthorizationParameter> = [
  { name: "client_id" },
  { name: "redirect_uri" },
  { name: "response_type" },
  { name: "response_mode" },
  { name: "scope" },
  { name: "state" },
  { name: "nonce" },
  { name: "prompt" },
  { name: "max_age" },
  { name: "code_challenge" },
  { name: "code_challenge_method" },
  { name: "resource", repeats: true },
  { name: "login_hint" },
  { name: "ui_locales" },
  { name: "claims" },
  { name: "claims_locales" },
  { name: "acr_values" },
]

/** The parameters that a waiting request stores, in order. */
export const keptParams = ({ params, parameters }: AuthorizeRequest): ResponseParams =>
  params.pairs.filter(([name]) => parameters.known.has(name))
