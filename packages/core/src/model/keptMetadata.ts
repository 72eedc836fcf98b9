import type { Json } from "./json.ts"
import { type Field, type HolderOf, field } from "./member.ts"
import { type Values, values } from "./values.ts"

const { text: Text, texts: Texts, url: WebUri } = values
const Moment = values.whole(0)

/** A field that decides nothing. */
export interface KeptField<A extends Json = Json, Name extends string = string> extends Field<A, Name> {
  /** True if it asks the provider for something it does not do: nothing comes of it, and nothing is lost but that. */
  readonly unmet: boolean
}

const kept = <A extends Json, const Name extends string>(name: Name, given: Values<A>, description: string): KeptField<A, Name> => ({
  ...field(name, given, description),
  unmet: false,
})

const unmet: typeof kept = (name, given, description) => ({ ...kept(name, given, description), unmet: true })

/**
 * Client metadata that IANA registers ("OAuth Dynamic Client Registration Metadata") and that decides nothing here: it is kept and shown as it
 * was given. What a client would rely on in vain is refused by rules of registration. A feature that declares one of these fields has it for its own.
 */
export const keptMetadata = [
  kept("contacts", Texts, "Ways to reach the people responsible for the client, usually e-mail addresses. Stored and shown."),
  kept("software_id", Text, "Identifies the client's software, the same for all its installations. Stored and shown."),
  kept("software_version", Text, "The version of the client's software. Stored and shown."),
  kept("client_id_issued_at", Moment, "The time at which the client_id was issued, in seconds since 1970. Stored and shown."),
  kept("client_secret_expires_at", Moment, "The secret's expiry time; only 0 is accepted, since secrets do not expire."),
  kept("registration_client_uri", WebUri, "The URL at which another provider manages the client's registration. Stored and shown."),
  kept("registration_access_token", Text, "Not accepted: a credential of a registration endpoint."),
  kept("require_auth_time", values.flag, "Requires auth_time in ID tokens; all ID tokens have it."),
  kept("initiate_login_uri", WebUri, "The https URL to which third parties may send people to begin a sign-in. Stored and shown."),
  unmet("claims_redirect_uris", values.listOf(WebUri), "Redirect URIs for UMA, which is not supported. Stored and shown."),
  unmet("frontchannel_logout_uri", WebUri, "The front-channel logout URL; such logouts are not supported yet. Stored and shown."),
  kept("frontchannel_logout_session_required", values.flag, "Requires iss and sid in front-channel logout requests. Stored and shown."),
  unmet("backchannel_logout_uri", WebUri, "The back-channel logout URL; such logouts are not supported yet. Stored and shown."),
  kept("backchannel_logout_session_required", values.flag, "Requires a sid in logout tokens. Stored and shown."),
  kept(
    "tls_client_certificate_bound_access_tokens",
    values.flag,
    "Binds access tokens to the client's certificate; only false is accepted.",
  ),
  unmet(
    "tls_client_auth_subject_dn",
    Text,
    "The subject of its TLS certificate; client authentication by certificate is not supported yet. Stored and shown.",
  ),
  unmet("tls_client_auth_san_dns", Text, "A DNS name of its TLS certificate. Stored and shown."),
  unmet("tls_client_auth_san_uri", Text, "A URI of its TLS certificate. Stored and shown."),
  unmet("tls_client_auth_san_ip", Text, "An IP address of its TLS certificate. Stored and shown."),
  unmet("tls_client_auth_san_email", Text, "An e-mail address of its TLS certificate. Stored and shown."),
  kept("use_mtls_endpoint_aliases", values.flag, "Uses the endpoints for mutual TLS, which are not supported. Stored and shown."),
  kept("dpop_bound_access_tokens", values.flag, "Binds access tokens to a key by DPoP; only false is accepted."),
  unmet("authorization_details_types", Texts, "Types of authorization_details it uses; that parameter is ignored. Stored and shown."),
  unmet(
    "authorization_signed_response_alg",
    Text,
    "The signing algorithm of authorization responses as JWTs, which are not supported. Stored and shown.",
  ),
  unmet("authorization_encrypted_response_alg", Text, "The key encryption algorithm of such responses. Stored and shown."),
  kept("authorization_encrypted_response_enc", Text, "The content encryption algorithm of such responses. Stored and shown."),
  unmet(
    "backchannel_token_delivery_mode",
    values.oneOf(["poll", "ping", "push"]),
    "The token delivery mode of backchannel authentication (CIBA), which is not supported. Stored and shown.",
  ),
  kept("backchannel_client_notification_endpoint", WebUri, "The notification endpoint of backchannel authentication. Stored and shown."),
  kept("backchannel_authentication_request_signing_alg", Text, "The algorithm of its signed backchannel requests. Stored and shown."),
  kept("backchannel_user_code_parameter", values.flag, "Sends a user_code with backchannel requests. Stored and shown."),
  unmet(
    "nfv_token_signed_response_alg",
    Text,
    "The signing algorithm of NFV tokens (ETSI GS NFV-SEC 022), which are not supported. Stored and shown.",
  ),
  unmet("nfv_token_encrypted_response_alg", Text, "The key encryption algorithm of NFV tokens. Stored and shown."),
  kept("nfv_token_encrypted_response_enc", Text, "The content encryption algorithm of NFV tokens. Stored and shown."),
  kept("client_registration_types", Texts, "The client's registration types in an OpenID Federation. Stored and shown."),
  unmet("signed_jwks_uri", WebUri, "The URL of the client's keys as a signed JWT; only jwks_uri is read. Stored and shown."),
  kept("organization_name", Text, "The organization that owns the client. Stored and shown."),
  kept("organization_uri", WebUri, "A page about that organization. Stored and shown."),
  kept("information_uri", WebUri, "A page about the client. Stored and shown."),
  kept("description", Text, "A description of the client, in a sentence. Stored and shown."),
  kept("keywords", Texts, "Words that describe the client. Stored and shown."),
  kept("vp_formats_supported", values.object, "Formats of verifiable presentations that the client supports. Stored and shown."),
  kept(
    "encrypted_response_enc_values_supported",
    Texts,
    "Content encryption algorithms that the client accepts in OpenID4VP responses. Stored and shown.",
  ),
] as const

/** Kept metadata, by its names. */
export type KeptMetadata = HolderOf<(typeof keptMetadata)[number]>
