import { type Field, Signature, Texts, TokenLifetime, clientField, plainField, values } from "../../model/index.ts"

/** Client metadata of grants and of access tokens. */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("grant_types", Texts, {
    name: "grant-type",
    placeholder: "GRANT",
    description: "A grant it may use (default: authorization_code)",
    repeats: true,
  }),
  plainField("grant_policies", values.object),
  plainField("access_token_format", values.oneOf(["jwt", "reference"]), {
    name: "reference-tokens",
    states: "reference",
    description: "Issue opaque access tokens",
  }),
  plainField("access_token_signed_response_alg", Signature),
  plainField("access_token_typ", values.oneOf(["at+jwt", "jwt"])),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  grant_types: "The grants it may use. Default: authorization_code.",
  grant_policies: "Policies of extension grants by grant type; see docs/grants.md.",
  access_token_format: "jwt, or reference for opaque tokens that are looked up by introspection. Default: jwt.",
  access_token_signed_response_alg: "The algorithm of its JWT access tokens. Default: RS256.",
  access_token_typ:
    "The typ header of its JWT access tokens: at+jwt (RFC 9068), or jwt for resource servers that refuse at+jwt. Default: at+jwt.",
}

/** Lifetimes of access tokens. */
export const lifetimes: ReadonlyArray<Field> = [
  clientField("access_token_lifetime", TokenLifetime, "Life of an access token, in seconds. Default: 3600."),
]
