import * as Schema from "effect/Schema"

/** The URL of another party's document. */
export const WebUrl = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s\p{Cc}]+$/u, { expected: "an http or https URL" }))

/** The public keys of another party, as a JWK set. */
export const PublicKeys = Schema.Struct({
  keys: Schema.Array(Schema.Record(Schema.String, Schema.Json))
    .check(Schema.isMaxLength(50))
    .annotate({ description: "Public keys, each a JWK (RFC 7517 §4)." }),
})
