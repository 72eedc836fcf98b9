import * as Schema from "effect/Schema"

const absent = Schema.optionalKey
const Text = Schema.NonEmptyString.check(Schema.isMaxLength(1000))
const Texts = Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(1000))).check(Schema.isMaxLength(100))
const WebUri = Schema.String.check(Schema.isMaxLength(2000), Schema.isPattern(/^https?:\/\/\S+$/u, { expected: "an http or https URL" }))
const Moment = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Client metadata that IANA registers ("OAuth Dynamic Client Registration Metadata") and that decides nothing here: it is kept and shown as it
 * was given. What a client would rely on in vain is refused by rules of registration.
 */
export const keptMetadata = {
  contacts: absent(Texts),
  software_id: absent(Text),
  software_version: absent(Text),
  client_id_issued_at: absent(Moment),
  client_secret_expires_at: absent(Moment),
  registration_client_uri: absent(WebUri),
  registration_access_token: absent(Text),
  require_auth_time: absent(Schema.Boolean),
  initiate_login_uri: absent(WebUri),
  claims_redirect_uris: absent(Schema.Array(WebUri)),
  frontchannel_logout_uri: absent(WebUri),
  frontchannel_logout_session_required: absent(Schema.Boolean),
  backchannel_logout_uri: absent(WebUri),
  backchannel_logout_session_required: absent(Schema.Boolean),
  tls_client_certificate_bound_access_tokens: absent(Schema.Boolean),
  tls_client_auth_subject_dn: absent(Text),
  tls_client_auth_san_dns: absent(Text),
  tls_client_auth_san_uri: absent(Text),
  tls_client_auth_san_ip: absent(Text),
  tls_client_auth_san_email: absent(Text),
  use_mtls_endpoint_aliases: absent(Schema.Boolean),
  dpop_bound_access_tokens: absent(Schema.Boolean),
  authorization_details_types: absent(Texts),
  authorization_signed_response_alg: absent(Text),
  authorization_encrypted_response_alg: absent(Text),
  authorization_encrypted_response_enc: absent(Text),
  backchannel_token_delivery_mode: absent(Schema.Literals(["poll", "ping", "push"])),
  backchannel_client_notification_endpoint: absent(WebUri),
  backchannel_authentication_request_signing_alg: absent(Text),
  backchannel_user_code_parameter: absent(Schema.Boolean),
  nfv_token_signed_response_alg: absent(Text),
  nfv_token_encrypted_response_alg: absent(Text),
  nfv_token_encrypted_response_enc: absent(Text),
  client_registration_types: absent(Texts),
  signed_jwks_uri: absent(WebUri),
  organization_name: absent(Text),
  organization_uri: absent(WebUri),
  information_uri: absent(WebUri),
  description: absent(Text),
  keywords: absent(Texts),
  vp_formats_supported: absent(Schema.Record(Schema.String, Schema.Json)),
  encrypted_response_enc_values_supported: absent(Texts),
} as const

/** Kept metadata that asks the provider for something it does not do: nothing comes of it, and nothing is lost but that. */
export const unmetMetadata = [
  "frontchannel_logout_uri",
  "backchannel_logout_uri",
  "tls_client_auth_subject_dn",
  "tls_client_auth_san_dns",
  "tls_client_auth_san_uri",
  "tls_client_auth_san_ip",
  "tls_client_auth_san_email",
  "authorization_details_types",
  "authorization_signed_response_alg",
  "authorization_encrypted_response_alg",
  "backchannel_token_delivery_mode",
  "nfv_token_signed_response_alg",
  "nfv_token_encrypted_response_alg",
  "claims_redirect_uris",
  "signed_jwks_uri",
] as const satisfies ReadonlyArray<keyof typeof keptMetadata>
