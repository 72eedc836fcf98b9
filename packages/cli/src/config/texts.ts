import type { ClientMetadata, LifetimesMetadata } from "@postern/core/model"

/** What each lifetime is, in the published schema. */
export const lifetimeTexts: Readonly<Record<keyof typeof LifetimesMetadata.fields, string>> = {
  access_token_lifetime: "Life of an access token, in seconds. 3600 when not given.",
  id_token_lifetime: "Life of an ID token, in seconds. 300 when not given.",
  authorization_code_lifetime: "Life of an authorization code, in seconds. 60 when not given.",
  refresh_token_absolute_lifetime: "Longest life of a chain of refresh tokens, in seconds; 0 is without end. 2592000 when not given.",
  refresh_token_sliding_lifetime: "Life of a refresh token since its last use, in seconds. 1296000 when not given.",
  refresh_token_grace: "How long a refresh token that was just replaced still answers with its successor, in seconds. 30 when not given.",
  consent_lifetime: "How long a consent is remembered, in seconds; 0 is without end. 0 when not given.",
  device_code_lifetime: "How long a device waits for a person to approve it, in seconds. 300 when not given.",
  device_polling_interval: "How long a device waits between two polls, in seconds, until it is told to slow down. 5 when not given.",
}

/** What each field of a client is, in the published schema. */
export const clientTexts: Readonly<Record<keyof typeof ClientMetadata.fields, string>> = {
  client_id: "The client's id.",
  client_secret:
    "The client's secret; kept as a slow hash, or sealed with key_encryption_key for client_secret_jwt. Not for none and private_key_jwt.",
  client_name: "What people are told the client is called.",
  client_uri: "The client's home page.",
  logo_uri: "The client's logo on the consent page.",
  policy_uri: "The client's privacy policy.",
  tos_uri: "The client's terms of service.",
  application_type:
    "web, or native for apps on a person's device: those may use loopback addresses with any port, and schemes of their own. web when not given.",
  token_endpoint_auth_method:
    "The only way the client may prove itself: by its secret, by JWTs it signs with its secret or its private key, or none for a public client. When not given, its secret is accepted by client_secret_basic and by client_secret_post.",
  grant_types: "The grants it may use. authorization_code when not given.",
  response_types: "The response types it may ask for. code when not given.",
  redirect_uris: "Where people are sent back to; matched character for character.",
  post_logout_redirect_uris: "Where people are sent after signing out.",
  scope: "The scopes it may ask for, separated by spaces.",
  default_max_age: "Asks people to sign in again when their sign-in is older than this many seconds.",
  id_token_signed_response_alg: "The algorithm of its ID tokens. RS256 when not given.",
  access_token_signed_response_alg: "The algorithm of its JWT access tokens. RS256 when not given.",
  access_token_typ:
    "The typ header of its JWT access tokens: at+jwt (RFC 9068), or jwt for resource servers that refuse anything but JWT. at+jwt when not given.",
  access_token_format: "jwt, or reference for opaque tokens that are looked up by introspection. jwt when not given.",
  require_pkce: "Whether it must use PKCE; public clients always must. true when not given.",
  allow_plain_pkce: "Whether it may use the plain challenge method. false when not given.",
  require_consent: "Whether people are asked for consent. true when not given.",
  token_endpoint_auth_signing_alg: "The only algorithm its assertions may be signed with. Any that fits its method when not given.",
  client_assertion_audience:
    "Whom its assertions must be made out to: issuer, or any for the URL of one of our endpoints too. any when not given.",
  jwks: "Its public keys, as a JWK set. Give this or jwks_uri.",
  jwks_uri: "Where it publishes its public keys, over https.",
  id_token_encrypted_response_alg: "How its ID tokens' key is encrypted to one of its keys. Not encrypted when not given.",
  id_token_encrypted_response_enc: "How its ID tokens are encrypted. A128CBC-HS256 when not given.",
  userinfo_signed_response_alg: "Signs its userinfo, with this algorithm. Plain JSON when not given.",
  userinfo_encrypted_response_alg: "How its userinfo's key is encrypted to one of its keys. Not encrypted when not given.",
  userinfo_encrypted_response_enc: "How its userinfo is encrypted. A128CBC-HS256 when not given.",
  introspection_signed_response_alg: "The algorithm of introspections it asks for as JWTs (RFC 9701). RS256 when not given.",
  introspection_encrypted_response_alg: "How the key of such introspections is encrypted to one of its keys. Not encrypted when not given.",
  introspection_encrypted_response_enc: "How such introspections are encrypted. A128CBC-HS256 when not given.",
  request_object_signing_alg: "The only algorithm its request objects may be signed with; none allows unsigned ones, and only those.",
  request_object_encryption_alg: "How its request objects' key must be encrypted to one of ours. They may come plain when not given.",
  request_object_encryption_enc: "How its request objects must be encrypted. A128CBC-HS256 when not given.",
  require_signed_request_object: "Whether each of its authorization requests must be a signed request object. false when not given.",
  request_uris: "The values of request_uri it may send, over https. None when not given.",
  subject_type: "public, or pairwise for subjects that only its sector sees; that needs pairwise_salt. public when not given.",
  sector_identifier_uri:
    "Names the sector of a pairwise client whose redirect URIs have several hosts: a JSON array there lists each of them.",
  default_acr_values: "Authentication contexts asked for when a request names none.",
  identity_providers: "Names of the identity_providers its people may sign in at. None when not given.",
  allow_local_login: "Whether its people may sign in with a password here. true when not given.",
  revoke_on_logout:
    "What signing out takes from it: none, online for what was granted without offline_access, or all of the session's. online when not given.",
  grant_policies: "What extension grants may do for it, by grant type; see docs/grants.md.",
  id_token_user_claims: "Whether user claims go into its ID tokens even when userinfo can give them. false when not given.",
  introspection_resources: "Identifiers of the resources whose tokens it may introspect.",
  disabled: "Whether it is refused everywhere. false when not given.",
  ...lifetimeTexts,
}
