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
}

/** What each field of a client is, in the published schema. */
export const clientTexts: Readonly<Record<keyof typeof ClientMetadata.fields, string>> = {
  client_id: "The client's id.",
  client_secret: "The client's secret; kept as a slow hash. Not for clients whose token_endpoint_auth_method is none.",
  client_name: "What people are told the client is called.",
  client_uri: "The client's home page.",
  logo_uri: "The client's logo on the consent page.",
  policy_uri: "The client's privacy policy.",
  tos_uri: "The client's terms of service.",
  application_type:
    "web, or native for apps on a person's device: those may use loopback addresses with any port, and schemes of their own. web when not given.",
  token_endpoint_auth_method: "How the client proves itself; none for a public client. client_secret_basic when not given.",
  grant_types: "The grants it may use. authorization_code when not given.",
  response_types: "The response types it may ask for. code when not given.",
  redirect_uris: "Where people are sent back to; matched character for character.",
  post_logout_redirect_uris: "Where people are sent after signing out.",
  scope: "The scopes it may ask for, separated by spaces.",
  default_max_age: "Asks people to sign in again when their sign-in is older than this many seconds.",
  id_token_signed_response_alg: "The algorithm of its ID tokens. RS256 when not given.",
  access_token_signed_response_alg: "The algorithm of its JWT access tokens. RS256 when not given.",
  access_token_format: "jwt, or reference for opaque tokens that are looked up by introspection. jwt when not given.",
  require_pkce: "Whether it must use PKCE; public clients always must. true when not given.",
  allow_plain_pkce: "Whether it may use the plain challenge method. false when not given.",
  require_consent: "Whether people are asked for consent. true when not given.",
  id_token_user_claims: "Whether user claims go into its ID tokens even when userinfo can give them. false when not given.",
  introspection_resources: "Identifiers of the resources whose tokens it may introspect.",
  disabled: "Whether it is refused everywhere. false when not given.",
  ...lifetimeTexts,
}
