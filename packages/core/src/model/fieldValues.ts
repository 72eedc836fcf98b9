import type { Json } from "./json.ts"
import { contentEncryptionAlgorithms, keyEncryptionAlgorithms, signingAlgorithms } from "./jwk.ts"
import { type Field, type FieldOption, field } from "./member.ts"
import type { ClientMetadata } from "./metadata.ts"
import { type Values, values, valuesOf } from "./values.ts"

/** An absolute URI, of any scheme. */
export const Uri = values.matching(/^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s\p{Cc}]+$/u, "an absolute URI")

/** An absolute http or https URL. */
export const WebUri = values.matching(/^https?:\/\/[^\s\p{Cc}]+$/u, "an http or https URL")

/** A short string, such as a name or an identifier. */
export const ShortText = values.textOf(200)

/** A list of non-empty strings. */
export const Texts: Values<ReadonlyArray<string>> = values.listOf(valuesOf({ kind: "text", least: 1 }))

/** An algorithm that tokens are signed with. */
export const Signature = values.oneOf(signingAlgorithms)

/** An algorithm that encrypts a content encryption key. */
export const KeyEncryption = values.oneOf(keyEncryptionAlgorithms)

/** An algorithm that encrypts content. */
export const ContentEncryption = values.oneOf(contentEncryptionAlgorithms)

/** Defines a duration in whole seconds between two inclusive bounds. The default maximum is ten years. */
export const SecondsWithin = (minimum: number, maximum = 315_360_000) => values.whole(minimum, maximum)

/** The lifetime of a signed token. It must not outlive its key, which stays published for 14 days after its last signature. */
export const TokenLifetime = SecondsWithin(1, 1_209_600)

/** A scope token (RFC 6749 §3.3). */
export const scopeName = values.matching(
  /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/u,
  "a scope name: printable ASCII without space, quote or backslash",
)

/** Defines a field of client metadata, with the type that {@link ClientMetadata} has under its name. */
export const clientField = <const Name extends keyof ClientMetadata, A extends NonNullable<ClientMetadata[Name]> & Json>(
  name: Name,
  given: Values<A>,
  description: string,
  ...options: ReadonlyArray<FieldOption>
): Field<A, Name> => field(name, given, description, ...options)

/** Defines a field of client metadata whose description is in `features/descriptions.ts`. */
export const plainField = <const Name extends keyof ClientMetadata, A extends NonNullable<ClientMetadata[Name]> & Json>(
  name: Name,
  given: Values<A>,
  ...options: ReadonlyArray<FieldOption>
): Field<A, Name> => clientField(name, given, "", ...options)

/** Defines the fields by which a client requests encryption of a kind of response (OpenID Connect Dynamic Client Registration §2). */
export const encryptionFields = (answer: "id_token" | "userinfo" | "introspection", named: string): ReadonlyArray<Field> => [
  clientField(`${answer}_encrypted_response_alg`, KeyEncryption, `Key encryption of ${named}. Default: not encrypted.`),
  clientField(`${answer}_encrypted_response_enc`, ContentEncryption, `Content encryption of ${named}. Default: A128CBC-HS256.`),
]
