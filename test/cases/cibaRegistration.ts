import { type ClientMetadata, ciba, defaultFeatures, registering } from "@postern/core"
import { cibaGrant, notifications } from "../support/asking.ts"
import { setOf } from "../support/requestObjects.ts"
import type { RegistrationCase } from "./registrationCase.ts"

const till: ClientMetadata = {
  client_id: "till",
  client_secret: "secret of till",
  grant_types: [cibaGrant],
  response_types: [],
  scope: "openid",
  backchannel_token_delivery_mode: "poll",
}

const pinged: ClientMetadata = { ...till, backchannel_token_delivery_mode: "ping", backchannel_client_notification_endpoint: notifications }
const seen = registering({ features: [...defaultFeatures, ciba()] })

const named = (title: string, rule: string | undefined, client: ClientMetadata, ...faults: ReadonlyArray<string>): RegistrationCase => ({
  title: `CIBA Core §4: ${title}`,
  rule: rule && `registration.ciba-${rule}`,
  client,
  seen,
  faults,
})

/** A client of a FAPI profile that asks people by poll; how it authenticates is its own. */
const ofProfile = {
  client_id: "till",
  grant_types: [cibaGrant],
  response_types: [],
  scope: "openid",
  profile: "fapi2-security",
  id_token_signed_response_alg: "ES256",
  access_token_signed_response_alg: "ES256",
  backchannel_token_delivery_mode: "poll",
} as const

/** Registration of clients that ask people (CIBA Core §4). */
export const cibaRegistrationCases: ReadonlyArray<RegistrationCase> = [
  named("a client that polls may be registered", undefined, till),
  named("a client that is pinged may be registered", undefined, pinged),
  named("a client that is pushed its tokens may be registered", undefined, { ...pinged, backchannel_token_delivery_mode: "push" }),
  named("a client that signs its requests may be registered", undefined, {
    ...till,
    jwks: setOf("p256", "rsa"),
    backchannel_authentication_request_signing_alg: "ES256",
  }),
  named(
    "the grant type needs a delivery mode",
    "delivery-mode",
    { client_id: "till", client_secret: "secret of till", grant_types: [cibaGrant], response_types: [], scope: "openid" },
    "backchannel_token_delivery_mode: is missing",
  ),
  named(
    "a delivery mode needs the grant type",
    "delivery-mode",
    { ...till, grant_types: ["client_credentials"] },
    `backchannel_token_delivery_mode: means nothing without the grant type ${cibaGrant}`,
  ),
  named(
    "ping needs an endpoint",
    "notification-endpoint",
    { ...till, backchannel_token_delivery_mode: "ping" },
    "backchannel_client_notification_endpoint: is missing: results go there by ping",
  ),
  named(
    "the endpoint is https",
    "notification-endpoint",
    { ...pinged, backchannel_client_notification_endpoint: "http://till.example/notify" },
    "backchannel_client_notification_endpoint: is not https",
  ),
  named(
    "a client that polls has no endpoint",
    "notification-endpoint",
    { ...till, backchannel_client_notification_endpoint: notifications },
    "backchannel_client_notification_endpoint: means nothing without ping or push",
  ),
  named(
    "a public client asks nobody (§7.1)",
    "confidential",
    {
      client_id: "till",
      token_endpoint_auth_method: "none",
      grant_types: [cibaGrant],
      response_types: [],
      scope: "openid",
      backchannel_token_delivery_mode: "poll",
    },
    "token_endpoint_auth_method: is none: a client that asks by CIBA must authenticate",
  ),
  named(
    "signed requests need a key (§7.1.1)",
    "request-keys",
    { ...till, backchannel_authentication_request_signing_alg: "ES256" },
    "backchannel_authentication_request_signing_alg: is ES256, and no key of the client is known",
  ),
  named(
    "signed requests need a key that fits their algorithm (§7.1.1)",
    "request-keys",
    { ...till, backchannel_authentication_request_signing_alg: "ES256", jwks: setOf("rsa") },
    "backchannel_authentication_request_signing_alg: is ES256, and no key of its jwks fits ES256",
  ),
  named(
    "tokens that must be bound are not pushed (FAPI-CIBA §5.2.2)",
    "push-bound",
    { ...pinged, backchannel_token_delivery_mode: "push", dpop_bound_access_tokens: true },
    "backchannel_token_delivery_mode: is push, and the client's tokens must be bound (profile default)",
  ),
  named("a client that sends user codes may be registered where nobody checks them, too: there it means nothing", undefined, {
    ...till,
    backchannel_user_code_parameter: true,
  }),
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): a client of the profile does not sign its CIBA requests with RS256",
    rule: "registration.profile-algorithms",
    client: {
      ...ofProfile,
      token_endpoint_auth_method: "private_key_jwt",
      jwks: setOf("p256", "rsa"),
      backchannel_authentication_request_signing_alg: "RS256",
    },
    seen,
    faults: ["backchannel_authentication_request_signing_alg: RS256 is refused by the profile fapi2-security"],
  },
  {
    title: "FAPI-CIBA §5.2.2: a client of the profile needs a key by which its CIBA requests can be verified",
    rule: "registration.ciba-request-keys",
    client: {
      ...ofProfile,
      token_endpoint_auth_method: "tls_client_auth",
      tls_client_auth_san_dns: "till.example",
    } as ClientMetadata,
    seen,
    faults: ["profile: fapi2-security demands signed backchannel requests, and no key of the client is known"],
  },
]
