import * as Schema from "effect/Schema"
import type { Lifetimes } from "./client.ts"
import { contentEncryptionAlgorithms, keyEncryptionAlgorithms, peerAlgorithms, secretAlgorithms } from "./jwk.ts"
import { keptMetadata } from "./keptMetadata.ts"

const absent = Schema.optionalKey
const Uri = Schema.String.check(Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$/u, { expected: "an absolute URI" }))
const WebUri = Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/u, { expected: "an http or https URL" }))
const Lifetime = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 315_360_000 }))
/** A signed token must not outlive its key, which stays published for 14 days after its last signature. */
const TokenLifetime = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_209_600 }))
const LifetimeOrEndless = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 315_360_000 }))
const Algorithm = Schema.Literals(["RS256", "ES256", "PS256", "EdDSA"])
const KeyEncryption = Schema.Literals(keyEncryptionAlgorithms)
const ContentEncryption = Schema.Literals(contentEncryptionAlgorithms)
const Names = Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(200)))

/** Printable ASCII, as RFC 6749 §A.1 and §A.2 allow; bounded, as every input is. */
const ClientId = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/u, { expected: "1 to 200 printable ASCII characters" }),
)

/** A scope token (RFC 6749 §3.3). */
export const ScopeName = Schema.String.check(
  Schema.isPattern(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/u, { expected: "a scope name: printable ASCII without space, quote or backslash" }),
)

/** Lifetimes in seconds under their configuration names; each falls back to the provider's, then to the default. */
export const LifetimesMetadata = Schema.Struct({
  access_token_lifetime: absent(TokenLifetime),
  id_token_lifetime: absent(TokenLifetime),
  authorization_code_lifetime: absent(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 }))),
  refresh_token_absolute_lifetime: absent(LifetimeOrEndless),
  refresh_token_sliding_lifetime: absent(Lifetime),
  refresh_token_grace: absent(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 }))),
  consent_lifetime: absent(LifetimeOrEndless),
  device_code_lifetime: absent(Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 3600 }))),
  device_polling_interval: absent(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))),
})

/** Client metadata by its RFC 7591 §2 names, and Postern's own after them. */
export const ClientMetadata = Schema.Struct({
  client_id: ClientId,
  client_secret: absent(Schema.NonEmptyString.check(Schema.isMaxLength(1024))),
  client_name: absent(Schema.NonEmptyString.check(Schema.isMaxLength(200))),
  client_uri: absent(WebUri),
  logo_uri: absent(WebUri),
  policy_uri: absent(WebUri),
  tos_uri: absent(WebUri),
  application_type: absent(Schema.Literals(["web", "native"])),
  token_endpoint_auth_method: absent(
    Schema.Literals(["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"]),
  ),
  token_endpoint_auth_signing_alg: absent(Schema.Literals([...peerAlgorithms, ...secretAlgorithms])),
  client_assertion_audience: absent(Schema.Literals(["issuer", "any"])),
  jwks: absent(
    Schema.Struct({
      keys: Schema.Array(Schema.Record(Schema.String, Schema.Json))
        .check(Schema.isMaxLength(50))
        .annotate({ description: "Public keys, each a JWK (RFC 7517 §4)." }),
    }),
  ),
  jwks_uri: absent(WebUri),
  grant_types: absent(Schema.Array(Schema.NonEmptyString)),
  response_types: absent(Schema.Array(Schema.NonEmptyString)),
  redirect_uris: absent(Schema.Array(Uri)),
  post_logout_redirect_uris: absent(Schema.Array(Uri)),
  scope: absent(Schema.String),
  default_max_age: absent(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  id_token_signed_response_alg: absent(Algorithm),
  id_token_encrypted_response_alg: absent(KeyEncryption),
  id_token_encrypted_response_enc: absent(ContentEncryption),
  access_token_signed_response_alg: absent(Algorithm),
  access_token_typ: absent(Schema.Literals(["at+jwt", "jwt"])),
  userinfo_signed_response_alg: absent(Algorithm),
  userinfo_encrypted_response_alg: absent(KeyEncryption),
  userinfo_encrypted_response_enc: absent(ContentEncryption),
  introspection_signed_response_alg: absent(Algorithm),
  introspection_encrypted_response_alg: absent(KeyEncryption),
  introspection_encrypted_response_enc: absent(ContentEncryption),
  request_object_signing_alg: absent(Schema.Literals([...peerAlgorithms, "none"])),
  request_object_encryption_alg: absent(KeyEncryption),
  request_object_encryption_enc: absent(ContentEncryption),
  require_signed_request_object: absent(Schema.Boolean),
  request_uris: absent(Schema.Array(WebUri)),
  subject_type: absent(Schema.Literals(["public", "pairwise"])),
  sector_identifier_uri: absent(WebUri),
  default_acr_values: absent(Names),
  access_token_format: absent(Schema.Literals(["jwt", "reference"])),
  require_pkce: absent(Schema.Boolean),
  allow_plain_pkce: absent(Schema.Boolean),
  require_consent: absent(Schema.Boolean),
  id_token_user_claims: absent(Schema.Boolean),
  introspection_resources: absent(Schema.Array(Schema.NonEmptyString)),
  identity_providers: absent(Names),
  allow_local_login: absent(Schema.Boolean),
  revoke_on_logout: absent(Schema.Literals(["none", "online", "all"])),
  grant_policies: absent(Schema.Record(Schema.String, Schema.Json)),
  disabled: absent(Schema.Boolean),
  ...LifetimesMetadata.fields,
  ...keptMetadata,
})

/** Client metadata as JSON carries it. */
export type ClientMetadata = typeof ClientMetadata.Type

/** The words of a response type in the order of the specification §2.1: `code`, `id_token`, `token`. */
export const canonicalResponseType = (responseType: string): string =>
  [...new Set(responseType.split(" ").filter((word) => word !== ""))].sort().join(" ")

/** The response types of metadata, canonical: those it names, or `code` where it may use one (RFC 7591 §2). */
export const responseTypesOf = ({
  response_types,
  grant_types,
}: Pick<ClientMetadata, "response_types" | "grant_types">): ReadonlyArray<string> =>
  response_types?.map(canonicalResponseType) ?? ((grant_types ?? ["authorization_code"]).includes("authorization_code") ? ["code"] : [])

/** The lifetimes that metadata states, over those it does not. */
export const lifetimesFrom = (metadata: typeof LifetimesMetadata.Type, otherwise: Lifetimes): Lifetimes => ({
  accessToken: metadata.access_token_lifetime ?? otherwise.accessToken,
  idToken: metadata.id_token_lifetime ?? otherwise.idToken,
  authorizationCode: metadata.authorization_code_lifetime ?? otherwise.authorizationCode,
  refreshTokenAbsolute: metadata.refresh_token_absolute_lifetime ?? otherwise.refreshTokenAbsolute,
  refreshTokenSliding: metadata.refresh_token_sliding_lifetime ?? otherwise.refreshTokenSliding,
  refreshTokenGrace: metadata.refresh_token_grace ?? otherwise.refreshTokenGrace,
  consent: metadata.consent_lifetime ?? otherwise.consent,
  deviceCode: metadata.device_code_lifetime ?? otherwise.deviceCode,
  devicePollingInterval: metadata.device_polling_interval ?? otherwise.devicePollingInterval,
})
