/** Members that contain the URL of an endpoint (RFC 8414 §2). */
export const endpointMembers = [
  "authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "jwks_uri",
  "registration_endpoint",
  "end_session_endpoint",
  "introspection_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
  "pushed_authorization_request_endpoint",
] as const

/** Boolean members. */
export const booleans = [
  "claims_parameter_supported",
  "request_parameter_supported",
  "request_uri_parameter_supported",
  "require_request_uri_registration",
  "authorization_response_iss_parameter_supported",
  "require_pushed_authorization_requests",
  "backchannel_logout_supported",
  "frontchannel_logout_supported",
]

/** Members that are arrays of strings. */
export const arrays = [
  "protected_resources",
  "scopes_supported",
  "response_types_supported",
  "response_modes_supported",
  "grant_types_supported",
  "acr_values_supported",
  "subject_types_supported",
  "id_token_signing_alg_values_supported",
  "id_token_encryption_alg_values_supported",
  "userinfo_signing_alg_values_supported",
  "request_object_signing_alg_values_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "display_values_supported",
  "claim_types_supported",
  "claims_supported",
  "ui_locales_supported",
  "claims_locales_supported",
  "code_challenge_methods_supported",
  "prompt_values_supported",
  "revocation_endpoint_auth_methods_supported",
  "introspection_endpoint_auth_methods_supported",
]
