import type { ClientMetadata, LifetimesMetadata } from "@postern/core/model"
import { keptTexts } from "./keptTexts.ts"

/** Descriptions of the lifetimes, in the published schema. */
export const lifetimeTexts: Readonly<Record<keyof typeof LifetimesMetadata.fields, string>> = {
  access_token_lifetime: "Life of an access token, in seconds. Default: 3600.",
  id_token_lifetime: "Life of an ID token, in seconds. Default: 300.",
  authorization_code_lifetime: "Life of an authorization code, in seconds. Default: 60.",
  refresh_token_absolute_lifetime: "Longest life of a chain of refresh tokens, in seconds; 0 is without end. Default: 2592000.",
  refresh_token_sliding_lifetime: "Life of a refresh token since its last use, in seconds. Default: 1296000.",
  refresh_token_grace: "Seconds during which a rotated refresh token still returns its successor. Default: 30.",
  consent_lifetime: "Lifetime of a consent, in seconds; 0 means unlimited. Default: 0.",
  device_code_lifetime: "Lifetime of a device code, in seconds. Default: 300.",
  device_polling_interval: "Minimum interval between two polls of a device, in seconds. Default: 5.",
}

/** Descriptions of the fields of a client, in the published schema. */
export const clientTexts: Readonly<Record<keyof typeof ClientMetadata.fields, string>> = {
  client_id: "The client's id.",
  client_secret:
    "The client's secret; stored as a hash, or sealed with key_encryption_key for client_secret_jwt. Not for none and private_key_jwt.",
  client_name: "The client's display name.",
  client_uri: "The client's home page.",
  logo_uri: "The client's logo on the consent page.",
  policy_uri: "The client's privacy policy.",
  tos_uri: "The client's terms of service.",
  application_type:
    "web, or native for apps on a person's device: those may use loopback addresses with any port, and schemes of their own. Default: web.",
  token_endpoint_auth_method:
    "The client's authentication method; no other is accepted. Default: client_secret_basic or client_secret_post.",
  grant_types: "The grants it may use. Default: authorization_code.",
  response_types: "The response types it may ask for. Default: code.",
  redirect_uris: "Redirect URIs; matched character for character.",
  post_logout_redirect_uris: "URIs to return to after sign-out; matched character for character.",
  scope: "The scopes it may ask for, separated by spaces.",
  default_max_age: "Asks people to sign in again when their sign-in is older than this many seconds.",
  id_token_signed_response_alg: "The algorithm of its ID tokens. Default: RS256.",
  access_token_signed_response_alg: "The algorithm of its JWT access tokens. Default: RS256.",
  access_token_typ:
    "The typ header of its JWT access tokens: at+jwt (RFC 9068), or jwt for resource servers that refuse at+jwt. Default: at+jwt.",
  access_token_format: "jwt, or reference for opaque tokens that are looked up by introspection. Default: jwt.",
  require_pkce: "Requires PKCE, which public clients always need. Default: true.",
  allow_plain_pkce: "Allows the plain challenge method. Default: false.",
  require_consent: "Asks users for consent. Default: true.",
  token_endpoint_auth_signing_alg: "The only algorithm accepted for its assertions. Default: any that fits its method.",
  client_assertion_audience: "The audience required of its assertions: issuer, or any for the URL of an endpoint too. Default: any.",
  jwks: "The client's public keys, as a JWK set. Set this or jwks_uri.",
  jwks_uri: "The https URL of its public keys.",
  id_token_encrypted_response_alg: "Key encryption of its ID tokens. Default: not encrypted.",
  id_token_encrypted_response_enc: "Content encryption of its ID tokens. Default: A128CBC-HS256.",
  userinfo_signed_response_alg: "Algorithm that signs its userinfo. Default: plain JSON.",
  userinfo_encrypted_response_alg: "Key encryption of its userinfo. Default: not encrypted.",
  userinfo_encrypted_response_enc: "Content encryption of its userinfo. Default: A128CBC-HS256.",
  introspection_signed_response_alg: "The algorithm of introspections it asks for as JWTs (RFC 9701). Default: RS256.",
  introspection_encrypted_response_alg: "Key encryption of JWT introspection responses. Default: not encrypted.",
  introspection_encrypted_response_enc: "Content encryption of JWT introspection responses. Default: A128CBC-HS256.",
  request_object_signing_alg: "The only algorithm accepted for its request objects; none means that they are unsigned.",
  request_object_encryption_alg: "Key encryption required of its request objects. Default: none required.",
  request_object_encryption_enc: "Content encryption required of its request objects. Default: A128CBC-HS256.",
  require_signed_request_object: "Requires every authorization request to be a signed request object. Default: false.",
  request_uris: "The https URLs that it may send as request_uri. Default: none.",
  subject_type: "public, or pairwise for subjects that only its sector sees; that needs pairwise_salt. Default: public.",
  sector_identifier_uri:
    "URL of a JSON array that lists all redirect URIs of the client's sector. Required of pairwise clients with several hosts.",
  default_acr_values: "Authentication contexts asked for when a request names none.",
  identity_providers: "Names of the identity_providers at which its users may sign in. Default: none.",
  allow_local_login: "Lets users of the client sign in with a password of this provider. Default: true.",
  revoke_on_logout:
    "The grants that end when the user signs out: none, online (those without offline_access) or all of the session. Default: online.",
  grant_policies: "Policies of extension grants by grant type; see docs/grants.md.",
  id_token_user_claims: "Puts user claims into ID tokens even when userinfo can return them. Default: false.",
  introspection_resources: "Identifiers of the resources whose access tokens the client may introspect.",
  profile: "The profile the client is held to: default or oauth2.1. Default: the profile of the provider.",
  disabled: "Refuses the client everywhere. Default: false.",
  ...lifetimeTexts,
  ...keptTexts,
}
