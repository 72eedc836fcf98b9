import type { ResponseMode } from "../../model/index.ts"
import { canonicalResponseType, scopeWords } from "../../model/index.ts"
import { type Message, type Params, isForm, readParams } from "../../wire/index.ts"

/** An authorization request as it was asked, nothing judged yet (specification §2.1). */
export interface AuthorizeRequest {
  readonly params: Params
  /** False for a POST whose body is no form. */
  readonly isForm: boolean
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  /** Words in canonical order. */
  readonly responseType: string | undefined
  readonly responseMode: string | undefined
  readonly scope: ReadonlyArray<string>
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly prompt: ReadonlyArray<string>
  readonly maxAge: string | undefined
  readonly codeChallenge: string | undefined
  readonly codeChallengeMethod: string | undefined
  readonly idTokenHint: string | undefined
  readonly loginHint: string | undefined
}

/** Reads a request from its parameters: those of the message, or those kept while a person was asked. */
export const authorizeRequest = (params: Params, form: boolean): AuthorizeRequest => {
  const responseType = params.one("response_type")
  return {
    params,
    isForm: form,
    clientId: params.one("client_id"),
    redirectUri: params.one("redirect_uri"),
    responseType: responseType === undefined ? undefined : canonicalResponseType(responseType),
    responseMode: params.one("response_mode"),
    scope: scopeWords(params.one("scope") ?? ""),
    state: params.one("state"),
    nonce: params.one("nonce"),
    prompt: scopeWords(params.one("prompt") ?? ""),
    maxAge: params.one("max_age"),
    codeChallenge: params.one("code_challenge"),
    codeChallengeMethod: params.one("code_challenge_method"),
    idTokenHint: params.one("id_token_hint"),
    loginHint: params.one("login_hint"),
  }
}

/** Reads a request from the message: the query of a GET, the form of a POST (OpenID Connect Core §3.1.2.1). */
export const parse = (message: Message): AuthorizeRequest =>
  message.method === "POST"
    ? authorizeRequest(readParams(message.body), isForm(message.headers["content-type"]))
    : authorizeRequest(readParams(message.query), true)

/** The response types there are, in canonical word order. */
export const responseTypes: ReadonlyArray<string> = ["code"]

/** The response modes there are. */
export const responseModes: ReadonlyArray<ResponseMode> = ["query", "fragment", "form_post"]

/** The mode a request is answered in, errors too: what it asks for if that can be, else its response type's own (OAuth 2.0 Multiple Response Types §2.1). */
export const modeOf = ({ responseMode }: AuthorizeRequest): ResponseMode => responseModes.find((mode) => mode === responseMode) ?? "query"
