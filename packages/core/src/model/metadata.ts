import type { Lifetimes } from "./client.ts"
import type { Json, JsonObject } from "./json.ts"
import type { ContentEncryptionAlgorithm, KeyEncryptionAlgorithm, SigningAlgorithm, peerAlgorithms, secretAlgorithms } from "./jwk.ts"
import type { KeptMetadata } from "./keptMetadata.ts"
import type { Members } from "./member.ts"

/** Lifetimes in seconds, under their names in client metadata. Each defaults to the provider's setting, then to the built-in default. */
export interface LifetimesMetadata {
  /** Life of an access token, in seconds. Default: 3600. */
  readonly access_token_lifetime?: number
  /** Life of an ID token, in seconds. Default: 300. */
  readonly id_token_lifetime?: number
  /** Life of an authorization code, in seconds. Default: 60. */
  readonly authorization_code_lifetime?: number
  /** Longest life of a chain of refresh tokens, in seconds; 0 is without end. Default: 2592000. */
  readonly refresh_token_absolute_lifetime?: number
  /** Life of a refresh token since its last use, in seconds. Default: 1296000. */
  readonly refresh_token_sliding_lifetime?: number
  /** Seconds during which a rotated refresh token still returns its successor. Default: 30. */
  readonly refresh_token_grace?: number
  /** Lifetime of a consent, in seconds; 0 means unlimited. Default: 0. */
  readonly consent_lifetime?: number
  /** Lifetime of a device code, in seconds. Default: 300. */
  readonly device_code_lifetime?: number
  /** Minimum interval between two polls of a device, in seconds. Default: 5. */
  readonly device_polling_interval?: number
}

/**
 * Client metadata in JSON form, with the names of RFC 7591 §2 followed by Postern's own. This is only a type for code that reads members of
 * several features: each feature declares its members with their schemas and descriptions, and may have more than are listed here.
 */
export interface ClientMetadata extends LifetimesMetadata, KeptMetadata {
  /** The client's id. */
  readonly client_id: string
  /** The client's secret; stored as a hash, or sealed with key_encryption_key for client_secret_jwt. Not for none and private_key_jwt. */
  readonly client_secret?: string
  /** The client's display name. */
  readonly client_name?: string
  /** The client's home page. */
  readonly client_uri?: string
  /** The client's logo on the consent page. */
  readonly logo_uri?: string
  /** The client's privacy policy. */
  readonly policy_uri?: string
  /** The client's terms of service. */
  readonly tos_uri?: string
  /** web, or native for apps on a person's device: those may use loopback addresses with any port, and schemes of their own. Default: web. */
  readonly application_type?: "web" | "native"
  /** The client's authentication method; no other is accepted. Default: client_secret_basic or client_secret_post. */
  readonly token_endpoint_auth_method?: string
  /** The only algorithm accepted for its assertions. Default: any that fits its method. */
  readonly token_endpoint_auth_signing_alg?: (typeof peerAlgorithms)[number] | (typeof secretAlgorithms)[number]
  /** The audience required of its assertions: issuer, or any for the URL of an endpoint too. Default: any. */
  readonly client_assertion_audience?: "issuer" | "any"
  /** The client's public keys, as a JWK set. Set this or jwks_uri. */
  readonly jwks?: {
    /** Public keys, each a JWK (RFC 7517 §4). */
    readonly keys: ReadonlyArray<JsonObject>
  }
  /** The https URL of its public keys. */
  readonly jwks_uri?: string
  /** The grants it may use. Default: authorization_code. */
  readonly grant_types?: ReadonlyArray<string>
  /** The response types it may ask for. Default: code. */
  readonly response_types?: ReadonlyArray<string>
  /** Redirect URIs; matched character for character. */
  readonly redirect_uris?: ReadonlyArray<string>
  /** URIs to return to after sign-out; matched character for character. */
  readonly post_logout_redirect_uris?: ReadonlyArray<string>
  /** The scopes it may ask for, separated by spaces. */
  readonly scope?: string
  /** Asks people to sign in again when their sign-in is older than this many seconds. */
  readonly default_max_age?: number
  /** The algorithm of its ID tokens. Default: RS256. */
  readonly id_token_signed_response_alg?: SigningAlgorithm
  /** Key encryption of its ID tokens. Default: not encrypted. */
  readonly id_token_encrypted_response_alg?: KeyEncryptionAlgorithm
  /** Content encryption of its ID tokens. Default: A128CBC-HS256. */
  readonly id_token_encrypted_response_enc?: ContentEncryptionAlgorithm
  /** The algorithm of its JWT access tokens. Default: RS256. */
  readonly access_token_signed_response_alg?: SigningAlgorithm
  /** The typ header of its JWT access tokens: at+jwt (RFC 9068), or jwt for resource servers that refuse at+jwt. Default: at+jwt. */
  readonly access_token_typ?: "at+jwt" | "jwt"
  /** Algorithm that signs its userinfo. Default: plain JSON. */
  readonly userinfo_signed_response_alg?: SigningAlgorithm
  /** Key encryption of its userinfo. Default: not encrypted. */
  readonly userinfo_encrypted_response_alg?: KeyEncryptionAlgorithm
  /** Content encryption of its userinfo. Default: A128CBC-HS256. */
  readonly userinfo_encrypted_response_enc?: ContentEncryptionAlgorithm
  /** The algorithm of introspections it asks for as JWTs (RFC 9701). Default: RS256. */
  readonly introspection_signed_response_alg?: SigningAlgorithm
  /** Key encryption of JWT introspection responses. Default: not encrypted. */
  readonly introspection_encrypted_response_alg?: KeyEncryptionAlgorithm
  /** Content encryption of JWT introspection responses. Default: A128CBC-HS256. */
  readonly introspection_encrypted_response_enc?: ContentEncryptionAlgorithm
  /** The only algorithm accepted for its request objects; none means that they are unsigned. */
  readonly request_object_signing_alg?: (typeof peerAlgorithms)[number] | "none"
  /** Key encryption required of its request objects. Default: none required. */
  readonly request_object_encryption_alg?: KeyEncryptionAlgorithm
  /** Content encryption required of its request objects. Default: A128CBC-HS256. */
  readonly request_object_encryption_enc?: ContentEncryptionAlgorithm
  /** Requires every authorization request to be a signed request object. Default: false. */
  readonly require_signed_request_object?: boolean
  /** The https URLs that it may send as request_uri. Default: none. */
  readonly request_uris?: ReadonlyArray<string>
  /** public, or pairwise for subjects that only its sector sees; that needs pairwise_salt. Default: public. */
  readonly subject_type?: "public" | "pairwise"
  /** URL of a JSON array that lists all redirect URIs of the client's sector. Required of pairwise clients with several hosts. */
  readonly sector_identifier_uri?: string
  /** Authentication contexts asked for when a request names none. */
  readonly default_acr_values?: ReadonlyArray<string>
  /** jwt, or reference for opaque tokens that are looked up by introspection. Default: jwt. */
  readonly access_token_format?: "jwt" | "reference"
  /** Requires PKCE, which public clients always need. Default: true. */
  readonly require_pkce?: boolean
  /** Allows the plain challenge method. Default: false. */
  readonly allow_plain_pkce?: boolean
  /** Lets redirect URIs of a native client on http://localhost vary in port, as those on loopback addresses do. Default: as its profile says. */
  readonly loopback_localhost?: boolean
  /** Asks users for consent. Default: true. */
  readonly require_consent?: boolean
  /** Puts user claims into ID tokens even when userinfo can return them. Default: false. */
  readonly id_token_user_claims?: boolean
  /** Identifiers of the resources whose access tokens the client may introspect. */
  readonly introspection_resources?: ReadonlyArray<string>
  /** Names of the identity_providers at which its users may sign in. Default: none. */
  readonly identity_providers?: ReadonlyArray<string>
  /** Lets users of the client sign in with a password of this provider. Default: true. */
  readonly allow_local_login?: boolean
  /** The grants that end when the user signs out: none, online (those without offline_access) or all of the session. Default: online. */
  readonly revoke_on_logout?: "none" | "online" | "all"
  /** Policies of extension grants by grant type; see docs/grants.md. */
  readonly grant_policies?: Readonly<Record<string, Json>>
  /** The profile that the client is held to: default, oauth2.1, mcp, fapi2-security, fapi2-message-signing or fapi1-advanced. Default: the provider's. */
  readonly profile?: string
  /** Refuses the client everywhere. Default: false. */
  readonly disabled?: boolean
}

/** Returns the members of client metadata that features read by name, without the secret. */
export const membersOf = ({ client_secret: _secret, ...members }: ClientMetadata): Members["members"] => members

/** Sorts the words of a response type in the order of the specification §2.1: `code`, `id_token`, `token`. */
export const canonicalResponseType = (responseType: string): string =>
  [...new Set(responseType.split(" ").filter((word) => word !== ""))].sort().join(" ")

/** Returns the grant types of client metadata. The default is `authorization_code` (RFC 7591 §2). */
export const grantTypesOf = ({ grant_types }: { readonly grant_types?: ReadonlyArray<string> | undefined }): ReadonlyArray<string> =>
  grant_types ?? ["authorization_code"]

/** Returns the authentication method of client metadata. The default is `client_secret_basic` (RFC 7591 §2). */
export const authMethodOf = ({ token_endpoint_auth_method }: Pick<ClientMetadata, "token_endpoint_auth_method">): string =>
  token_endpoint_auth_method ?? "client_secret_basic"

/** Returns the canonical response types of client metadata. The default is `code` if the client may use the code grant (RFC 7591 §2). */
export const responseTypesOf = (metadata: Pick<ClientMetadata, "response_types" | "grant_types">): ReadonlyArray<string> =>
  metadata.response_types?.map(canonicalResponseType) ?? (grantTypesOf(metadata).includes("authorization_code") ? ["code"] : [])

/** Returns the lifetimes of client metadata, with defaults for those it does not state. */
export const lifetimesFrom = (metadata: LifetimesMetadata, otherwise: Lifetimes): Lifetimes => ({
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
