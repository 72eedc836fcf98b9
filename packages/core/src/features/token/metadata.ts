import { type Field, Signature, Texts, TokenLifetime, clientField, values } from "../../model/index.ts"

/** Client metadata of grants and of access tokens. */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField("grant_types", Texts, "The grants it may use. Default: authorization_code.", {
    name: "grant-type",
    placeholder: "GRANT",
    description: "A grant it may use (default: authorization_code)",
    repeats: true,
  }),
  clientField("grant_policies", values.object, "Policies of extension grants by grant type; see docs/grants.md."),
  clientField(
    "access_token_format",
    values.oneOf(["jwt", "reference"]),
    "jwt, or reference for opaque tokens that are looked up by introspection. Default: jwt.",
    { name: "reference-tokens", states: "reference", description: "Issue opaque access tokens" },
  ),
  clientField("access_token_signed_response_alg", Signature, "The algorithm of its JWT access tokens. Default: RS256."),
  clientField(
    "access_token_typ",
    values.oneOf(["at+jwt", "jwt"]),
    "The typ header of its JWT access tokens: at+jwt (RFC 9068), or jwt for resource servers that refuse at+jwt. Default: at+jwt.",
  ),
]

/** Lifetimes of access tokens. */
export const lifetimes: ReadonlyArray<Field> = [
  clientField("access_token_lifetime", TokenLifetime, "Life of an access token, in seconds. Default: 3600."),
]
