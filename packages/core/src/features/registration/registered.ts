/**
 * Names of client metadata that are registered ("OAuth Dynamic Client Registration Metadata" of IANA) and that a client states about
 * itself. A registration may state only these of the members that a provider's features have. All others are Postern's own, and only an
 * operator may state them.
 */
export const registeredNames: ReadonlySet<string> = new Set([
  // RFC 7591 §2
  "redirect_uris",
  "token_endpoint_auth_method",
  "grant_types",
  "response_types",
  "client_name",
  "client_uri",
  "logo_uri",
  "scope",
  "contacts",
  "tos_uri",
  "policy_uri",
  "jwks_uri",
  "jwks",
  "software_id",
  "software_version",
  // OpenID Connect Dynamic Client Registration §2
  "application_type",
  "sector_identifier_uri",
  "subject_type",
  "id_token_signed_response_alg",
  "id_token_encrypted_response_alg",
  "id_token_encrypted_response_enc",
  "userinfo_signed_response_alg",
  "userinfo_encrypted_response_alg",
  "userinfo_encrypted_response_enc",
  "request_object_signing_alg",
  "request_object_encryption_alg",
  "request_object_encryption_enc",
  "token_endpoint_auth_signing_alg",
  "default_max_age",
  "require_auth_time",
  "default_acr_values",
  "initiate_login_uri",
  "request_uris",
  // RP-Initiated Logout §3.1, Front-Channel Logout §2, Back-Channel Logout §2.2
  "post_logout_redirect_uris",
  "frontchannel_logout_uri",
  "frontchannel_logout_session_required",
  "backchannel_logout_uri",
  "backchannel_logout_session_required",
  // RFC 8705 §2.1.2, §3.4, RFC 9449 §5.2, RFC 9126 §6, RFC 9101 §10.5, RFC 9396 §10, RFC 9701 §6, JARM §3
  "tls_client_auth_subject_dn",
  "tls_client_auth_san_dns",
  "tls_client_auth_san_uri",
  "tls_client_auth_san_ip",
  "tls_client_auth_san_email",
  "tls_client_certificate_bound_access_tokens",
  "use_mtls_endpoint_aliases",
  "dpop_bound_access_tokens",
  "require_pushed_authorization_requests",
  "require_signed_request_object",
  "authorization_details_types",
  "introspection_signed_response_alg",
  "introspection_encrypted_response_alg",
  "introspection_encrypted_response_enc",
  "authorization_signed_response_alg",
  "authorization_encrypted_response_alg",
  "authorization_encrypted_response_enc",
  // OpenID Connect CIBA Core §4
  "backchannel_token_delivery_mode",
  "backchannel_client_notification_endpoint",
  "backchannel_authentication_request_signing_alg",
  "backchannel_user_code_parameter",
  // OpenID Federation §5.1.2, §5.2.2
  "organization_name",
  "organization_uri",
  "information_uri",
  "description",
  "keywords",
])

/** Members whose text is for people, each of which may be given in several languages: `client_name#de` (RFC 7591 §2.2). */
export const readByPeople = ["client_name", "client_uri", "logo_uri", "policy_uri", "tos_uri"] as const

/** The member whose name has a language tag; undefined for other names. The tag must be one of RFC 5646, and is bounded. */
export const inLanguage = (name: string): string | undefined => {
  const [, member, tag] = /^([a-z_]{1,20})#([A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3})$/.exec(name) ?? []
  return tag !== undefined && readByPeople.some((each) => each === member) ? member : undefined
}
