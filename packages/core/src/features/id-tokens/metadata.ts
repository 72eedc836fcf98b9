import { type Field, Signature, TokenLifetime, clientField, encryptionFields, plainField, values } from "../../model/index.ts"

/** Client metadata of ID tokens (OpenID Connect Dynamic Client Registration §2). */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("id_token_signed_response_alg", Signature),
  ...encryptionFields("id_token", "its ID tokens"),
  plainField("id_token_user_claims", values.flag),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  id_token_signed_response_alg: "The algorithm of its ID tokens. Default: RS256.",
  id_token_user_claims: "Puts user claims into ID tokens even when userinfo can return them. Default: false.",
}

/** Lifetimes of ID tokens. */
export const lifetimes: ReadonlyArray<Field> = [
  clientField("id_token_lifetime", TokenLifetime, "Life of an ID token, in seconds. Default: 300."),
]
