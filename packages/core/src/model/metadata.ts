import * as Schema from "effect/Schema"
import type { Lifetimes } from "./client.ts"
import { contentEncryptionAlgorithms, keyEncryptionAlgorithms, peerAlgorithms, secretAlgorithms } from "./jwk.ts"
import { keptMetadata } from "./keptMetadata.ts"
import type { Members } from "./member.ts"

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
  /** Life of an access token, in seconds. Default: 3600. */
  access_token_lifetime: absent(TokenLifetime),
  /** Life of an ID token, in seconds. Default: 300. */
  id_token_lifetime: absent(TokenLifetime),
  /** Life of an authorization code, in seconds. Default: 60. */
  authorization_code_lifetime: absent(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 }))),
  /** Longest life of a chain of refresh tokens, in seconds; 0 is without end. Default: 2592000. */
  refresh_token_absolute_lifetime: absent(LifetimeOrEndless),
  /** Life of a refresh token since its last use, in seconds. Default: 1296000. */
  refresh_token_sliding_lifetime: absent(Lifetime),
  /** Seconds during which a rotated refresh token still returns its successor. Default: 30. */
  refresh_token_grace: absent(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 }))),
  /** Lifetime of a consent, in seconds; 0 means unlimited. Default: 0. */
  consent_lifetime: absent(LifetimeOrEndless),
  /** Lifetime of a device code, in seconds. Default: 300. */
  device_code_lifetime: absent(Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 3600 }))),
  /** Minimum interval between two polls of a device, in seconds. Default: 5. */
  device_polling_interval: absent(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))),
})

const coreFields = {
  /** The client's id. */
  client_id: ClientId,
  /** The client's secret; stored as a hash, or sealed with key_encryption_key for client_secret_jwt. Not for none and private_key_jwt. */
  client_secret: absent(Schema.NonEmptyString.check(Schema.isMaxLength(1024))),
  /** The client's display name. */
  client_name: absent(Schema.NonEmptyString.check(Schema.isMaxLength(200))),
  /** The client's home page. */
  client_uri: absent(WebUri),
  /** The client's logo on the consent page. */
  logo_uri: absent(WebUri),
  /** The client's privacy policy. */
  policy_uri: absent(WebUri),
  /** The client's terms of service. */
  tos_uri: absent(WebUri),
  /** web, or native for apps on a person's device: those may use loopback addresses with any port, and schemes of their own. Default: web. */
  application_type: absent(Schema.Literals(["web", "native"])),
  /** The client's authentication method; no other is accepted. Default: client_secret_basic or client_secret_post. */
  token_endpoint_auth_method: absent(Schema.NonEmptyString.check(Schema.isMaxLength(200))),
  /** The only algorithm accepted for its assertions. Default: any that fits its method. */
  token_endpoint_auth_signing_alg: absent(Schema.Literals([...peerAlgorithms, ...secretAlgorithms])),
  /** The audience required of its assertions: issuer, or any for the URL of an endpoint too. Default: any. */
  client_assertion_audience: absent(Schema.Literals(["issuer", "any"])),
  /** The client's public keys, as a JWK set. Set this or jwks_uri. */
  jwks: absent(
    Schema.Struct({
      /** Public keys, each a JWK (RFC 7517 §4). */
      keys: Schema.Array(Schema.Record(Schema.String, Schema.Json))
        .check(Schema.isMaxLength(50))
        .annotate({ description: "Public keys, each a JWK (RFC 7517 §4)." }),
    }),
  ),
  /** The https URL of its public keys. */
  jwks_uri: absent(WebUri),
  /** The grants it may use. Default: authorization_code. */
  grant_types: absent(Schema.Array(Schema.NonEmptyString)),
  /** The response types it may ask for. Default: code. */
  response_types: absent(Schema.Array(Schema.NonEmptyString)),
  /** Redirect URIs; matched character for character. */
  redirect_uris: absent(Schema.Array(Uri)),
  /** URIs to return to after sign-out; matched character for character. */
  post_logout_redirect_uris: absent(Schema.Array(Uri)),
  /** The scopes it may ask for, separated by spaces. */
  scope: absent(Schema.String),
  /** Asks people to sign in again when their sign-in is older than this many seconds. */
  default_max_age: absent(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  /** The algorithm of its ID tokens. Default: RS256. */
  id_token_signed_response_alg: absent(Algorithm),
  /** Key encryption of its ID tokens. Default: not encrypted. */
  id_token_encrypted_response_alg: absent(KeyEncryption),
  /** Content encryption of its ID tokens. Default: A128CBC-HS256. */
  id_token_encrypted_response_enc: absent(ContentEncryption),
  /** The algorithm of its JWT access tokens. Default: RS256. */
  access_token_signed_response_alg: absent(Algorithm),
  /** The typ header of its JWT access tokens: at+jwt (RFC 9068), or jwt for resource servers that refuse at+jwt. Default: at+jwt. */
  access_token_typ: absent(Schema.Literals(["at+jwt", "jwt"])),
  /** Algorithm that signs its userinfo. Default: plain JSON. */
  userinfo_signed_response_alg: absent(Algorithm),
  /** Key encryption of its userinfo. Default: not encrypted. */
  userinfo_encrypted_response_alg: absent(KeyEncryption),
  /** Content encryption of its userinfo. Default: A128CBC-HS256. */
  userinfo_encrypted_response_enc: absent(ContentEncryption),
  /** The algorithm of introspections it asks for as JWTs (RFC 9701). Default: RS256. */
  introspection_signed_response_alg: absent(Algorithm),
  /** Key encryption of JWT introspection responses. Default: not encrypted. */
  introspection_encrypted_response_alg: absent(KeyEncryption),
  /** Content encryption of JWT introspection responses. Default: A128CBC-HS256. */
  introspection_encrypted_response_enc: absent(ContentEncryption),
  /** The only algorithm accepted for its request objects; none means that they are unsigned. */
  request_object_signing_alg: absent(Schema.Literals([...peerAlgorithms, "none"])),
  /** Key encryption required of its request objects. Default: none required. */
  request_object_encryption_alg: absent(KeyEncryption),
  /** Content encryption required of its request objects. Default: A128CBC-HS256. */
  request_object_encryption_enc: absent(ContentEncryption),
  /** Requires every authorization request to be a signed request object. Default: false. */
  require_signed_request_object: absent(Schema.Boolean),
  /** The https URLs that it may send as request_uri. Default: none. */
  request_uris: absent(Schema.Array(WebUri)),
  /** public, or pairwise for subjects that only its sector sees; that needs pairwise_salt. Default: public. */
  subject_type: absent(Schema.Literals(["public", "pairwise"])),
  /** URL of a JSON array that lists all redirect URIs of the client's sector. Required of pairwise clients with several hosts. */
  sector_identifier_uri: absent(WebUri),
  /** Authentication contexts asked for when a request names none. */
  default_acr_values: absent(Names),
  /** jwt, or reference for opaque tokens that are looked up by introspection. Default: jwt. */
  access_token_format: absent(Schema.Literals(["jwt", "reference"])),
  /** Requires PKCE, which public clients always need. Default: true. */
  require_pkce: absent(Schema.Boolean),
  /** Allows the plain challenge method. Default: false. */
  allow_plain_pkce: absent(Schema.Boolean),
  /** Asks users for consent. Default: true. */
  require_consent: absent(Schema.Boolean),
  /** Puts user claims into ID tokens even when userinfo can return them. Default: false. */
  id_token_user_claims: absent(Schema.Boolean),
  /** Identifiers of the resources whose access tokens the client may introspect. */
  introspection_resources: absent(Schema.Array(Schema.NonEmptyString)),
  /** Names of the identity_providers at which its users may sign in. Default: none. */
  identity_providers: absent(Names),
  /** Lets users of the client sign in with a password of this provider. Default: true. */
  allow_local_login: absent(Schema.Boolean),
  /** The grants that end when the user signs out: none, online (those without offline_access) or all of the session. Default: online. */
  revoke_on_logout: absent(Schema.Literals(["none", "online", "all"])),
  /** Policies of extension grants by grant type; see docs/grants.md. */
  grant_policies: absent(Schema.Record(Schema.String, Schema.Json)),
  /** The profile that the client is held to: default, or oauth2.1. Default: the provider's. */
  profile: absent(Schema.NonEmptyString.check(Schema.isMaxLength(100))),
  /** Refuses the client everywhere. Default: false. */
  disabled: absent(Schema.Boolean),
  ...LifetimesMetadata.fields,
} as const

/** Client metadata by its RFC 7591 §2 names, and Postern's own after them. Features add members to it. */
export const ClientMetadata = Schema.Struct({ ...coreFields, ...keptMetadata })

const none: Members["members"] = {}

/** The members of client metadata that core itself does not read: those of features, and those that are kept and shown. */
export const membersOf = (metadata: Readonly<Record<string, unknown>>): Members["members"] => {
  const names = Object.keys(metadata).filter((name) => !Object.hasOwn(coreFields, name))
  // Metadata is JSON.
  return names.length === 0 ? none : (Object.fromEntries(names.map((name) => [name, metadata[name]])) as Members["members"])
}

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
