import { type Field, Signature, TokenLifetime, clientField, encryptionFields, values } from "../../model/index.ts"

/** Client metadata of ID tokens (OpenID Connect Dynamic Client Registration §2). */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField("id_token_signed_response_alg", Signature, "The algorithm of its ID tokens. Default: RS256."),
  ...encryptionFields("id_token", "its ID tokens"),
  clientField("id_token_user_claims", values.flag, "Puts user claims into ID tokens even when userinfo can return them. Default: false."),
]

/** Lifetimes of ID tokens. */
export const lifetimes: ReadonlyArray<Field> = [
  clientField("id_token_lifetime", TokenLifetime, "Life of an ID token, in seconds. Default: 300."),
]
