import type { Json } from "./json.ts"
import { type Field, field } from "./member.ts"
import { type Values, values } from "./values.ts"

const { text: Text, texts: Texts, url: WebUri } = values
const Moment = values.whole(0)

/** A field that has no influence on decisions. */
export interface KeptField<A extends Json = Json, Name extends string = string> extends Field<A, Name> {
  /** True if it requests something that the provider does not do, so that it has no effect. */
  readonly unmet: boolean
}

interface Kept<A extends Json> {
  readonly given: Values<A>
  readonly description: string
  readonly unmet: boolean
}

/** Defines metadata that needs no effect, or whose only possible effect always applies. */
const idle = <A extends Json>(given: Values<A>, description: string): Kept<A> => ({ given, description, unmet: false })

/** Defines metadata that informs others. */
const shown: typeof idle = (given, description) => idle(given, `${description} Stored and shown.`)

/** Defines metadata that requests something unsupported. */
const unmet: typeof idle = (given, description) => ({ ...shown(given, description), unmet: true })

const kept = {
  contacts: shown(Texts, "Ways to reach the people responsible for the client, usually e-mail addresses."),
  software_id: shown(Text, "Identifies the client's software, the same for all its installations."),
  software_version: shown(Text, "The version of the client's software."),
  client_id_issued_at: shown(Moment, "The time at which the client_id was issued, in seconds since 1970."),
  client_secret_expires_at: idle(Moment, "The secret's expiry time; only 0 is accepted, since secrets do not expire."),
  registration_client_uri: shown(WebUri, "The URL at which another provider manages the client's registration."),
  registration_access_token: idle(Text, "Not accepted: a credential of a registration endpoint."),
  require_auth_time: idle(values.flag, "Requires auth_time in ID tokens; all ID tokens have it."),
  initiate_login_uri: shown(WebUri, "The https URL to which third parties may send people to begin a sign-in."),
  claims_redirect_uris: unmet(values.listOf(WebUri), "Redirect URIs for UMA, which is not supported."),
  frontchannel_logout_uri: unmet(WebUri, "The front-channel logout URL; this provider does not send such logouts."),
  frontchannel_logout_session_required: shown(values.flag, "Requires iss and sid in front-channel logout requests."),
  backchannel_logout_uri: unmet(WebUri, "The back-channel logout URL; this provider does not send such logouts."),
  backchannel_logout_session_required: shown(values.flag, "Requires a sid in logout tokens."),
  tls_client_certificate_bound_access_tokens: idle(values.flag, "Binds access tokens to the client's certificate; only false is accepted."),
  tls_client_auth_subject_dn: unmet(
    Text,
    "The subject of its TLS certificate; this provider does not authenticate clients by certificate.",
  ),
  tls_client_auth_san_dns: unmet(Text, "A DNS name of its TLS certificate."),
  tls_client_auth_san_uri: unmet(Text, "A URI of its TLS certificate."),
  tls_client_auth_san_ip: unmet(Text, "An IP address of its TLS certificate."),
  tls_client_auth_san_email: unmet(Text, "An e-mail address of its TLS certificate."),
  use_mtls_endpoint_aliases: shown(
    values.flag,
    "Uses the mtls_endpoint_aliases of the discovery document, where the provider has them (RFC 8705 §5).",
  ),
  dpop_bound_access_tokens: idle(values.flag, "Binds access tokens to a key by DPoP; only false is accepted."),
  authorization_details_types: unmet(Texts, "Types of authorization_details it uses; that parameter is ignored."),
  authorization_signed_response_alg: unmet(Text, "The signing algorithm of authorization responses as JWTs, which are not supported."),
  authorization_encrypted_response_alg: unmet(Text, "The key encryption algorithm of such responses."),
  authorization_encrypted_response_enc: shown(Text, "The content encryption algorithm of such responses."),
  backchannel_token_delivery_mode: unmet(
    values.oneOf(["poll", "ping", "push"]),
    "The token delivery mode of backchannel authentication (CIBA): poll, ping or push. It has an effect where the provider has CIBA turned on.",
  ),
  backchannel_client_notification_endpoint: shown(
    WebUri,
    "The notification endpoint of backchannel authentication, used where that is turned on.",
  ),
  backchannel_authentication_request_signing_alg: shown(
    Text,
    "The algorithm of its signed backchannel requests, required of them where backchannel authentication is turned on.",
  ),
  backchannel_user_code_parameter: shown(
    values.flag,
    "Sends a user_code with backchannel requests, required of them where the provider knows such codes.",
  ),
  nfv_token_signed_response_alg: unmet(Text, "The signing algorithm of NFV tokens (ETSI GS NFV-SEC 022), which are not supported."),
  nfv_token_encrypted_response_alg: unmet(Text, "The key encryption algorithm of NFV tokens."),
  nfv_token_encrypted_response_enc: shown(Text, "The content encryption algorithm of NFV tokens."),
  client_registration_types: shown(Texts, "The client's registration types in an OpenID Federation."),
  signed_jwks_uri: unmet(WebUri, "The URL of the client's keys as a signed JWT; only jwks_uri is read."),
  organization_name: shown(Text, "The organization that owns the client."),
  organization_uri: shown(WebUri, "A page about that organization."),
  information_uri: shown(WebUri, "A page about the client."),
  description: shown(Text, "A description of the client, in a sentence."),
  keywords: shown(Texts, "Words that describe the client."),
  vp_formats_supported: shown(values.object, "Formats of verifiable presentations that the client supports."),
  encrypted_response_enc_values_supported: shown(Texts, "Content encryption algorithms that the client accepts in OpenID4VP responses."),
}

/**
 * Client metadata that IANA registers ("OAuth Dynamic Client Registration Metadata") and that has no influence here. It is stored and shown
 * unchanged. Registration rules refuse values on which a client would rely in vain. A feature that declares one of these fields takes it
 * over.
 */
export const keptMetadata: ReadonlyArray<KeptField> = Object.entries(kept).map(([name, { given, description, unmet: isUnmet }]) => ({
  ...field<Json, string>(name, given, description),
  unmet: isUnmet,
}))

/** The type of this metadata, by name. */
export type KeptMetadata = { readonly [Name in keyof typeof kept]?: (typeof kept)[Name] extends Kept<infer A> ? A : never }
