import { type ClientMetadata, type RegistrationSeen, registering, registrationFaults } from "@postern/core"
import type { JsonObject } from "@postern/core/model"
import { tokenExchange } from "@postern/core/grants"
import { confirmingTwice } from "../support/confirming.ts"
import { known } from "../support/world.ts"
import { cibaRegistrationCases } from "./cibaRegistration.ts"
import type { RegistrationCase } from "./registrationCase.ts"

const ec = { kty: "EC", crv: "P-256", x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM" }
const rsa = { kty: "RSA", n: "w".repeat(342), e: "AQAB" }
const jwks = { keys: [ec, rsa] }

const good: ClientMetadata = { client_id: "c", client_secret: "s", redirect_uris: ["https://app.example/cb"], scope: "openid" }
const keyless: ClientMetadata = {
  client_id: "c",
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_signing_alg: "ES256",
  redirect_uris: ["https://app.example/cb"],
}
const signing: ClientMetadata = {
  ...keyless,
  jwks: { keys: [ec] },
}
const redirect = (
  uri: string,
  faults: ReadonlyArray<string>,
  more: Partial<ClientMetadata> = {},
  seen: Partial<RegistrationSeen> = {},
): RegistrationCase => ({
  title: `RFC 6749 §3.1.2, RFC 8252 §7: ${uri}${more.application_type === "native" ? " of a native client" : ""}${seen.development === true ? " in development" : ""} ${faults.length === 0 ? "may be registered" : "may not be registered"}`,
  rule: faults.length === 0 ? undefined : "registration.redirect-uris",
  client: { ...good, redirect_uris: [uri], ...more },
  seen,
  faults: faults.map((reason) => `redirect_uris.0: ${reason}`),
})
const boundTwice = { tokens_must_be_bound: true, tokens_must_be_bound_too: true }
const boundOnce = { ...boundTwice, tokens_must_be_bound: false }
const native = { application_type: "native" } as const
/** Every field of metadata that is kept, with a value that is harmless. */
export const everyKept = {
  contacts: ["ops@app.example"],
  software_id: "4NRB1-0XZABZI9E6-5SM3R",
  software_version: "2.0.1",
  client_id_issued_at: 1_795_219_200,
  client_secret_expires_at: 0,
  registration_client_uri: "https://op.elsewhere.example/register/c",
  require_auth_time: true,
  initiate_login_uri: "https://app.example/begin",
  claims_redirect_uris: ["https://app.example/claims"],
  frontchannel_logout_uri: "https://app.example/front",
  frontchannel_logout_session_required: true,
  backchannel_logout_uri: "https://app.example/back",
  backchannel_logout_session_required: true,
  tls_client_certificate_bound_access_tokens: false,
  tls_client_auth_subject_dn: "CN=app",
  use_mtls_endpoint_aliases: true,
  dpop_bound_access_tokens: false,
  authorization_details_types: ["payment"],
  authorization_signed_response_alg: "ES256",
  backchannel_token_delivery_mode: "ping",
  backchannel_client_notification_endpoint: "https://app.example/ping",
  backchannel_authentication_request_signing_alg: "ES256",
  backchannel_user_code_parameter: false,
  nfv_token_signed_response_alg: "ES256",
  nfv_token_encrypted_response_alg: "ECDH-ES",
  nfv_token_encrypted_response_enc: "A256GCM",
  client_registration_types: ["automatic"],
  signed_jwks_uri: "https://app.example/signed",
  organization_name: "Example",
  organization_uri: "https://example.com",
  information_uri: "https://app.example/about",
  description: "An application",
  keywords: ["example"],
  vp_formats_supported: { jwt_vc_json: { alg_values: ["ES256"] } },
  encrypted_response_enc_values_supported: ["A256GCM"],
} as const

/** Encryptions, each with keys none of which fits it. */
const unfit: ReadonlyArray<readonly [alg: string, keys: ReadonlyArray<JsonObject>]> = [
  ["RSA-OAEP-256", [ec]],
  ["ECDH-ES", [rsa]],
  ["ECDH-ES+A128KW", [{ ...ec, crv: "secp256k1" }]],
  ["ECDH-ES", [{ kty: "EC", crv: "P-256", x: ec.x }]],
  ["ECDH-ES", [{ ...ec, x: "AQAB" }]],
  ["ECDH-ES", [{ ...ec, use: "sig" }]],
  ["ECDH-ES", [{ ...ec, alg: "ECDH-ES+A256KW" }]],
  ["ECDH-ES", [{ kty: "OKP", crv: "Ed25519", x: ec.x }]],
  ["RSA-OAEP", [{ ...rsa, key_ops: ["verify"] }]],
  ["RSA-OAEP", [{ ...rsa, n: "w".repeat(171) }]],
  ["RSA-OAEP", [{ ...rsa, n: `${"w".repeat(341)}+` }]],
  ["RSA-OAEP", [{ kty: "RSA", n: rsa.n }]],
  ["RSA-OAEP", []],
]

/** URLs of documents a client publishes: one rule for each field. */
const documents: ReadonlyArray<RegistrationCase> = (
  [
    ["jwks_uri", "RFC 7591 §5", "registration.jwks-uri", (uri) => ({ jwks_uri: uri })],
    [
      "request_uris.0",
      "Dynamic Client Registration §2",
      "registration.request-uris",
      (uri) => ({ request_uris: [uri], request_object_signing_alg: "none" }),
    ],
    ["initiate_login_uri", "Dynamic Client Registration §2", "registration.initiate-login-uri", (uri) => ({ initiate_login_uri: uri })],
    [
      "backchannel_logout_uri",
      "Back-Channel Logout §2.2",
      "registration.backchannel-logout-uri",
      (uri) => ({ backchannel_logout_uri: uri }),
    ],
    [
      "sector_identifier_uri",
      "Dynamic Client Registration §5",
      "registration.sector-identifier-uri",
      (uri) => ({ sector_identifier_uri: uri }),
    ],
  ] satisfies ReadonlyArray<readonly [string, string, string, (uri: string) => Partial<ClientMetadata>]>
).flatMap(([path, cites, rule, metadata]) =>
  (
    [
      ["https://client.example/x", false, undefined],
      ["http://127.0.0.1:8080/x", true, undefined],
      ["http://client.example/x", true, "is not https"],
      ["http://127.0.0.1:8080/x", false, "is not https"],
      ["https://user@client.example/x", false, "carries a user name"],
      ["https:///x", false, "is not an absolute URL"],
      ["https://bücher.example/x", false, "has a character that no URI has"],
      ["HTTPS://client.example/x", false, "has a scheme in capital letters"],
      ["https://client.example,x/x", false, "has a host that no address on the web has"],
      ["https://client.example:65536/x", false, "has a port that no host has"],
      ["http://127.0.0.1:99999/x", true, "has a port that no host has"],
    ] as const
  ).map(([uri, development, reason]) => ({
    title: `${cites}: ${uri}${development ? " in development" : ""} ${reason === undefined ? "may" : "may not"} be the ${path.replace(".0", "")}`,
    rule: reason === undefined ? undefined : rule,
    client: { ...good, ...metadata(uri) },
    seen: { development },
    faults: reason === undefined ? [] : [`${path}: ${reason}`],
  })),
)

const exchange = tokenExchange()
/** A provider with token exchange. */
const exchanging: Partial<RegistrationSeen> = {
  grantTypes: ["authorization_code", exchange.name],
  policyFaults: new Map([[exchange.name, exchange.policyFault]]),
}

/** A client that a profile of FAPI takes. */
const banking: RegistrationCase["client"] = {
  client_id: "bank",
  redirect_uris: ["https://app.example/cb"],
  token_endpoint_auth_method: "private_key_jwt",
  jwks,
  scope: "openid",
  id_token_signed_response_alg: "ES256",
  access_token_signed_response_alg: "ES256",
}

/** Metadata of the features that bind tokens, and of that to which requests are pushed. */
const bindings = ["dpop_bound_access_tokens", "tls_client_certificate_bound_access_tokens"]
const pushing = "require_pushed_authorization_requests"

/** The wish which tokens proofs bind. */
const boundTo = (dpop_bound_tokens: string): object => ({ dpop_bound_tokens })
const publicClient: ClientMetadata = {
  client_id: "c",
  token_endpoint_auth_method: "none",
  redirect_uris: ["https://app.example/cb"],
  scope: "openid",
}

/** Responses as JWTs by an algorithm, at every endpoint that has them. */
const answersBy = (alg: "RS256" | "PS256") => ({
  authorization_signed_response_alg: alg,
  userinfo_signed_response_alg: alg,
  introspection_signed_response_alg: alg,
})

/** Cases of metadata that may be registered: RFC 7591 §2. */
export const registrationCases: ReadonlyArray<RegistrationCase> = [
  ...cibaRegistrationCases,
  { title: "RFC 7591 §2: a plain confidential client has no fault", rule: undefined, client: good, faults: [] },
  {
    title: "OAuth 2.1: a plain confidential client may have the profile",
    rule: undefined,
    client: { ...good, profile: "oauth2.1" },
    faults: [],
  },
  {
    title: "RFC 7591 §2: an unknown profile is a fault",
    rule: "registration.profile-known",
    client: { ...good, profile: "oauth3" },
    faults: ["profile: there is no profile oauth3"],
  },
  {
    title: "OAuth 2.1 §10: a client of the profile may not have the password grant",
    rule: "registration.profile-grant-types",
    client: { ...good, profile: "oauth2.1", grant_types: ["authorization_code", "password"] },
    seen: { grantTypes: ["authorization_code", "password"] },
    faults: ["grant_types.1: password is refused by the profile oauth2.1"],
  },
  {
    title: "OAuth 2.1 §10: a client of the profile may not have a response type with a token, in any order of words",
    rule: "registration.profile-response-types",
    client: { ...good, profile: "oauth2.1", grant_types: ["authorization_code", "implicit"], response_types: ["code", "token id_token"] },
    seen: { grantTypes: ["authorization_code", "implicit"], responseTypes: ["code", "id_token token"] },
    faults: ["response_types.1: token id_token is refused by the profile oauth2.1"],
  },
  {
    title: "OAuth 2.1 §7.5: a client of the profile may not do without PKCE",
    rule: "registration.profile-pkce",
    client: { ...good, profile: "oauth2.1", require_pkce: false },
    faults: ["require_pkce: the profile oauth2.1 requires PKCE"],
  },
  {
    title: "OAuth 2.1 §7.5: a client of a provider with the profile may not use plain",
    rule: "registration.profile-plain-pkce",
    client: { ...good, allow_plain_pkce: true },
    seen: { profile: "oauth2.1" },
    faults: ["allow_plain_pkce: the profile oauth2.1 takes no plain challenge"],
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (6): a client of the profile does not authenticate by a secret",
    rule: "registration.profile-auth-method",
    client: { ...good, profile: "fapi2-security", id_token_signed_response_alg: "ES256", access_token_signed_response_alg: "ES256" },
    faults: ["token_endpoint_auth_method: client_secret_basic is refused by the profile fapi2-security"],
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): nothing of a client of the profile is signed with RS256, which is the default",
    rule: "registration.profile-algorithms",
    client: {
      client_id: "bank",
      redirect_uris: ["https://app.example/cb"],
      token_endpoint_auth_method: "private_key_jwt",
      jwks,
      scope: "openid",
      profile: "fapi2-security",
      request_object_signing_alg: "RS256",
    },
    faults: [
      "request_object_signing_alg: RS256 is refused by the profile fapi2-security",
      "access_token_signed_response_alg: RS256 is refused by the profile fapi2-security",
      "id_token_signed_response_alg: RS256 is refused by the profile fapi2-security",
    ],
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): nor are its authorization responses, its userinfo and its introspection responses",
    rule: "registration.profile-algorithms",
    client: { ...banking, profile: "fapi2-security", ...answersBy("RS256") },
    faults: [
      "authorization_signed_response_alg: RS256 is refused by the profile fapi2-security",
      "userinfo_signed_response_alg: RS256 is refused by the profile fapi2-security",
      "introspection_signed_response_alg: RS256 is refused by the profile fapi2-security",
    ],
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): all of them may be signed with PS256",
    rule: undefined,
    client: { ...banking, profile: "fapi2-message-signing", ...answersBy("PS256"), introspection_resources: ["https://api.example"] },
    faults: [],
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: where every response is a JWT, the default counts",
    rule: "registration.profile-algorithms",
    client: { ...banking, profile: "fapi2-message-signing" },
    faults: ["authorization_signed_response_alg: RS256 is refused by the profile fapi2-message-signing"],
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (2): and where a JWT signs the response of a code alone",
    rule: "registration.profile-algorithms",
    client: { ...banking, profile: "fapi1-advanced" },
    faults: ["authorization_signed_response_alg: RS256 is refused by the profile fapi1-advanced"],
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (2): and not where an ID token does",
    rule: undefined,
    client: {
      ...banking,
      profile: "fapi1-advanced",
      grant_types: ["authorization_code", "implicit"],
      response_types: ["code id_token"],
    },
    faults: [],
  },
  {
    title: "RFC 9701 §4: the default counts for a resource server, which asks for a JWT in its request",
    rule: "registration.profile-algorithms",
    client: { ...banking, profile: "fapi2-security", introspection_resources: ["https://api.example"] },
    faults: ["introspection_signed_response_alg: RS256 is refused by the profile fapi2-security"],
  },
  {
    title: "OAuth 2.1 §7.5: a client's own profile comes before the provider's",
    rule: undefined,
    client: { ...good, profile: "default", allow_plain_pkce: true },
    seen: { profile: "oauth2.1" },
    faults: [],
  },
  {
    title: "RFC 7591 §2: an unknown grant type is a fault",
    rule: "registration.grant-types",
    client: { ...good, grant_types: ["authorization_code", "magic"] },
    faults: ["grant_types.1: magic is not a grant type of this provider"],
  },
  {
    title: "RFC 7591 §2: an unknown response type is a fault",
    rule: "registration.response-types",
    client: { ...good, response_types: ["code", "magic"] },
    faults: ["response_types.1: magic is not a response type of this provider"],
  },
  {
    title: "RFC 7591 §2.1: authorization_code needs a response type with code",
    rule: "registration.grant-and-response",
    client: { ...good, response_types: [] },
    faults: ["response_types: authorization_code needs a response type with code"],
  },
  {
    title: "RFC 7591 §2.1: a response type with code needs authorization_code",
    rule: "registration.grant-and-response",
    client: { ...good, grant_types: ["refresh_token"], response_types: ["code"] },
    faults: ["grant_types: a response type with code needs authorization_code"],
  },
  {
    title: "RFC 7591 §2.1: a response type with a token needs implicit",
    rule: "registration.implicit",
    client: { ...good, response_types: ["code", "code id_token"] },
    faults: ["grant_types: the response type code id_token needs implicit"],
  },
  {
    title: "RFC 7591 §2.1: implicit needs a response type with a token",
    rule: "registration.implicit",
    client: { ...good, grant_types: ["authorization_code", "implicit"] },
    faults: ["response_types: implicit needs a response type with id_token or token"],
  },
  {
    title: "RFC 6749 §2.3.1: a confidential client needs a secret",
    rule: "registration.secret",
    client: { client_id: "c", redirect_uris: ["https://app.example/cb"] },
    faults: ["client_secret: is missing"],
  },
  {
    title: "RFC 6749 §2.3.1: a secret that is kept already will do",
    rule: undefined,
    client: { client_id: "c", redirect_uris: ["https://app.example/cb"] },
    seen: { secretKept: true },
    faults: [],
  },
  {
    title: "RFC 6749 §2.1: a public client has no secret",
    rule: "registration.public-secret",
    client: { ...good, token_endpoint_auth_method: "none" },
    faults: ["client_secret: is given for a client that authenticates by none"],
  },
  {
    title: "OpenID Connect Core §9: a client of private_key_jwt needs no secret where it states its keys",
    rule: undefined,
    client: signing,
    faults: [],
  },
  {
    title: "OpenID Connect Core §9: a client of private_key_jwt may publish its keys",
    rule: undefined,
    client: { ...keyless, jwks_uri: "https://app.example/jwks" },
    faults: [],
  },
  {
    title: "OpenID Connect Core §9: a client of private_key_jwt without a key is a fault",
    rule: "registration.keys",
    client: keyless,
    faults: ["token_endpoint_auth_method: is private_key_jwt, and no key of the client is known"],
  },
  {
    title: "OpenID Connect Core §9: a client of private_key_jwt with a secret is a fault: it could never use it",
    rule: "registration.secret-unused",
    client: { ...signing, client_secret: "s".repeat(32) },
    faults: ["client_secret: is given for a client that authenticates by private_key_jwt"],
  },
  {
    title: "RFC 7518 §3.2: a secret of 32 bytes will do for HS256",
    rule: undefined,
    client: { ...good, token_endpoint_auth_method: "client_secret_jwt", client_secret: "é".repeat(16) },
    faults: [],
  },
  {
    title: "RFC 7518 §3.2: a secret shorter than 32 bytes cannot sign by HS256",
    rule: "registration.secret-length",
    client: { ...good, token_endpoint_auth_method: "client_secret_jwt", client_secret: "s".repeat(31) },
    faults: ["client_secret: is shorter than the 32 bytes that HS256 needs"],
  },
  {
    title: "RFC 7518 §3.2: a secret shorter than 64 bytes cannot sign by HS512",
    rule: "registration.secret-length",
    client: {
      ...good,
      token_endpoint_auth_method: "client_secret_jwt",
      token_endpoint_auth_signing_alg: "HS512",
      client_secret: "s".repeat(63),
    },
    faults: ["client_secret: is shorter than the 64 bytes that HS512 needs"],
  },
  {
    title: "OpenID Connect Core §9: a secret that signs cannot be kept where nothing seals it",
    rule: "registration.secret-sealed",
    client: { ...good, token_endpoint_auth_method: "client_secret_jwt", client_secret: "s".repeat(32) },
    seen: { sealing: false },
    faults: [
      "token_endpoint_auth_method: is client_secret_jwt, whose secret cannot be kept as a hash, and there is no key to seal it with",
    ],
  },
  {
    title: "Dynamic Client Registration §2: token_endpoint_auth_signing_alg of private_key_jwt is no shared secret's",
    rule: "registration.auth-signing-alg",
    client: { ...signing, token_endpoint_auth_signing_alg: "HS256" },
    faults: ["token_endpoint_auth_signing_alg: is HS256, which is not for private_key_jwt"],
  },
  {
    title: "Dynamic Client Registration §2: token_endpoint_auth_signing_alg of client_secret_jwt is a shared secret's",
    rule: "registration.auth-signing-alg",
    client: {
      ...good,
      token_endpoint_auth_method: "client_secret_jwt",
      token_endpoint_auth_signing_alg: "RS256",
      client_secret: "s".repeat(32),
    },
    faults: ["token_endpoint_auth_signing_alg: is RS256, which is not for client_secret_jwt"],
  },
  {
    title: "Dynamic Client Registration §2: token_endpoint_auth_signing_alg is for clients that sign",
    rule: "registration.auth-signing-alg",
    client: { ...good, token_endpoint_auth_signing_alg: "RS256" },
    faults: ["token_endpoint_auth_signing_alg: is given for a client that signs no assertions"],
  },
  {
    title: "RFC 6749 §4.4: a public client cannot use client_credentials",
    rule: "registration.public-grants",
    client: { client_id: "c", token_endpoint_auth_method: "none", grant_types: ["client_credentials"], response_types: [] },
    faults: ["grant_types: client_credentials needs a client that can keep a secret"],
  },
  {
    title: "Back-Channel Logout §2.2: the URI for logout tokens has no fragment",
    rule: "registration.backchannel-logout-uri",
    client: { ...good, backchannel_logout_uri: "https://app.example/out#x" },
    faults: ["backchannel_logout_uri: has a fragment"],
  },
  {
    title: "Back-Channel Logout §2.2: whoever requires sessions in logout tokens must take some",
    rule: "registration.backchannel-logout-session",
    client: { ...good, backchannel_logout_session_required: true },
    faults: ["backchannel_logout_session_required: means nothing without backchannel_logout_uri"],
  },
  {
    title: "Front-Channel Logout §2: the address of the client's frame has no fragment",
    rule: "registration.frontchannel-logout-uri",
    client: { ...good, frontchannel_logout_uri: "https://app.example/out#x" },
    faults: ["frontchannel_logout_uri: has a fragment"],
  },
  {
    title: "Front-Channel Logout §2: it is https",
    rule: "registration.frontchannel-logout-uri",
    client: {
      ...good,
      redirect_uris: ["https://app.example/cb", "http://app.example/cb"],
      frontchannel_logout_uri: "http://app.example/out",
    },
    faults: ["redirect_uris.1: is http and not a loopback address of a native client", "frontchannel_logout_uri: is not https"],
  },
  {
    title: "Front-Channel Logout §3: it leaves iss and sid to the provider",
    rule: "registration.frontchannel-logout-uri",
    client: { ...good, frontchannel_logout_uri: "https://app.example/out?Sid=1" },
    faults: ["frontchannel_logout_uri: carries sid in its query, which the provider adds"],
  },
  ...["https://app.example:8443/out", "https://other.example/out", "https://app.example.evil.example/out"].map(
    (frontchannel_logout_uri): RegistrationCase => ({
      title: `Front-Channel Logout §2: ${frontchannel_logout_uri} is of another origin than the redirect URIs`,
      rule: "registration.frontchannel-logout-origin",
      client: { ...good, frontchannel_logout_uri },
      faults: ["frontchannel_logout_uri: is of another origin than every redirect URI"],
    }),
  ),
  {
    title: "Front-Channel Logout §2: with the scheme, host and port of one of them it may be registered",
    rule: undefined,
    client: {
      ...good,
      redirect_uris: ["https://app.example/cb", "https://shop.example:8443/cb"],
      frontchannel_logout_uri: "https://shop.example:8443/out?x=1",
      frontchannel_logout_session_required: true,
    },
    faults: [],
  },
  {
    title: "Front-Channel Logout §2: whoever requires sessions in such requests must take some",
    rule: "registration.frontchannel-logout-session",
    client: { ...good, frontchannel_logout_session_required: true },
    faults: ["frontchannel_logout_session_required: means nothing without frontchannel_logout_uri"],
  },
  {
    title: "RFC 7591 §2: a client of the authorization endpoint needs a redirect URI",
    rule: "registration.redirect-uris-present",
    client: { client_id: "c", client_secret: "s" },
    faults: ["redirect_uris: is missing or empty"],
  },
  redirect("https://app.example/cb?x=1", []),
  redirect("https://app.example/cb#x", ["has a fragment"]),
  redirect("https://user@app.example/cb", ["carries a user name"]),
  redirect("https:///cb", ["names no host"]),
  redirect("https://app.example,x/cb", ["has a host that no address on the web has"]),
  redirect("https://app.example;sandbox/cb", ["has a host that no address on the web has"]),
  redirect("https://app.example:65536/cb", ["has a port that no host has"]),
  redirect("https://app.example:0/cb", ["has a port that no host has"]),
  redirect("https://app.example:/cb", []),
  redirect("https://app.example:65535/cb", []),
  redirect("http://127.0.0.1:99999/cb", ["has a port that no host has"], native),
  redirect("http://localhost:99999/cb", ["has a port that no host has"], {}, { development: true }),
  redirect("http://localhost:99999/cb", ["has a port that no host has"], { ...native, loopback_localhost: true }),
  redirect("https://app.example/日本", ["has a character that no URI has"]),
  redirect("https://bücher.example/cb", ["has a character that no URI has"]),
  redirect("https://app.example\\cb", ["has a character that no URI has"]),
  redirect("app.example/cb", ["is not an absolute URI"]),
  redirect("HTTPS://app.example/cb", ["has a scheme in capital letters"]),
  redirect("Http://127.0.0.1/cb", ["has a scheme in capital letters"], native),
  redirect("com.Example.app:/cb", [], native),
  redirect("http://app.example/cb", ["is http and not a loopback address of a native client"]),
  redirect("http://localhost/cb", [], {}, { development: true }),
  redirect("http://localhost/cb", ["is http and not a loopback address of a native client"]),
  redirect("http://app.example/cb", ["is http and not a loopback address of a native client"], {}, { development: true }),
  redirect("http://127.0.0.1/cb", [], native),
  redirect("http://[::1]:8080/cb", [], native),
  redirect("http://localhost/cb", ["is http and not a loopback address of a native client"], native),
  redirect("com.example.app:/cb", [], native),
  redirect("com.example.app:/cb", ["has a scheme of its own, which only a native client may use"]),
  redirect("myapp:/cb", ["has a private scheme without a dot"], native),
  redirect("javascript:alert(1)", ["has a private scheme without a dot"], native),
  redirect("data:text/html,x", ["has a scheme of its own, which only a native client may use"]),
  {
    title: "RP-Initiated Logout §3.1: a post_logout_redirect_uri follows the same rules",
    rule: "registration.post-logout-redirect-uris",
    client: { ...good, post_logout_redirect_uris: ["https://app.example/#out"] },
    faults: ["post_logout_redirect_uris.0: has a fragment"],
  },
  ...(
    "code state iss error error_description error_uri access_token token_type expires_in scope " +
    "id_token session_state response Code c%6Fde"
  )
    .split(" ")
    .map((name): RegistrationCase => ({
      title: `RFC 6749 §3.1.2, RFC 9207 §2, RFC 9700 §4.4: a redirect URI whose query carries ${name} may not be registered`,
      rule: "registration.redirect-uri-parameters",
      client: { ...good, redirect_uris: ["https://app.example/cb?tab=1", `https://app.example/cb?tab=1&${name}=x`] },
      faults: [`redirect_uris.1: carries ${decodeURIComponent(name).toLowerCase()} in its query, which the provider adds`],
    })),
  {
    title: "RFC 6749 §3.1.2: what only looks like a response parameter may stand in a redirect URI",
    rule: undefined,
    client: { ...good, redirect_uris: ["https://app.example/code?postcode=1&page=code&x=%26code%3D1", "https://app.example/cb?"] },
    faults: [],
  },
  {
    title: "RFC 6749 §3.1.2: a private scheme's redirect URI may not carry a code either",
    rule: "registration.redirect-uri-parameters",
    client: { ...good, ...native, redirect_uris: ["com.example.app:/cb?code=1"] },
    faults: ["redirect_uris.0: carries code in its query, which the provider adds"],
  },
  {
    title: "RP-Initiated Logout §3: a post_logout_redirect_uri may not carry a state",
    rule: "registration.post-logout-parameters",
    client: { ...good, post_logout_redirect_uris: ["https://app.example/?state=out"] },
    faults: ["post_logout_redirect_uris.0: carries state in its query, which the provider adds"],
  },
  {
    title: "RFC 6749 §3.3: an unknown scope is a fault",
    rule: "registration.scope",
    client: { ...good, scope: "openid nonsense" },
    faults: ["scope: nonsense: no such scope"],
  },
  {
    title: "OpenID Connect Core §11: offline_access without the refresh_token grant is a fault",
    rule: "registration.offline-access",
    client: { ...good, scope: "openid offline_access" },
    faults: ["scope: offline_access without the refresh_token grant gives nothing"],
  },
  {
    title: "RFC 9700 §4.14.2: a refresh token does not slide past its absolute end",
    rule: "registration.refresh-lifetimes",
    client: { ...good, refresh_token_sliding_lifetime: 200, refresh_token_absolute_lifetime: 100 },
    faults: ["refresh_token_sliding_lifetime: is longer than refresh_token_absolute_lifetime"],
  },
  {
    title: "RFC 9700 §4.14.2: it slides as long as it may where it has no absolute end",
    rule: undefined,
    client: { ...good, refresh_token_sliding_lifetime: 200, refresh_token_absolute_lifetime: 0 },
    faults: [],
  },
  {
    title: "OpenID Connect Registration §2: a client without algorithms gets RS256, for which the provider has no key",
    rule: "registration.signing-alg",
    client: { ...good, introspection_resources: ["https://api.example"] },
    seen: { signingAlgorithms: ["ES256"] },
    faults: [
      "access_token_signed_response_alg: is not given, which means RS256: the provider has no key for that",
      "id_token_signed_response_alg: is not given, which means RS256: the provider has no key for that",
      "introspection_signed_response_alg: is not given, which means RS256: the provider has no key for that",
    ],
  },
  {
    title: "OpenID Connect Registration §2: no response is signed by an algorithm for which the provider has no key",
    rule: "registration.signing-alg",
    client: { ...banking, ...answersBy("PS256") },
    seen: { signingAlgorithms: ["ES256"] },
    faults: ["authorization", "userinfo", "introspection"].map(
      (name) => `${name}_signed_response_alg: is PS256: the provider has no key for that`,
    ),
  },
  {
    title: "OpenID Connect Registration §2: a client for which nothing is signed needs no key",
    rule: undefined,
    client: { ...good, scope: "", access_token_format: "reference" },
    seen: { signingAlgorithms: ["ES256"] },
    faults: [],
  },
  {
    title: "RFC 7662 §2.1: a client cannot stand for a resource that is not declared",
    rule: "registration.introspection-resources",
    client: { ...good, introspection_resources: ["https://nowhere.example"] },
    faults: ["introspection_resources.0: https://nowhere.example is no declared resource"],
  },
  ...documents,
  {
    title: "RFC 7591 §2: jwks and jwks_uri are not given both",
    rule: "registration.keys-once",
    client: { ...good, jwks, jwks_uri: "https://client.example/jwks" },
    faults: ["jwks_uri: is given beside jwks"],
  },
  ...[{ d: "d" }, { kty: "RSA", p: "p" }, { kty: "oct", k: "k" }].map((members) => ({
    title: `RFC 7591 §2: a key that holds ${Object.keys(members).at(-1)} is not to be given away`,
    rule: "registration.keys-public",
    client: { ...good, jwks: { keys: [...jwks.keys, { ...jwks.keys[0], ...members }] } },
    faults: [`jwks.keys.2: holds ${Object.keys(members).at(-1)}, which is secret`],
  })),
  {
    title: "OpenID Connect Core §6.1: signed request objects need keys to verify them by",
    rule: "registration.request-object-keys",
    client: { ...good, request_object_signing_alg: "ES256" },
    faults: ["request_object_signing_alg: is ES256, and no key of the client is known"],
  },
  {
    title: "RFC 9101 §10.5: so does a client that must sign",
    rule: "registration.request-object-keys",
    client: { ...good, require_signed_request_object: true },
    faults: ["require_signed_request_object: asks for signatures, and no key of the client is known"],
  },
  {
    title: "OpenID Connect Core §6.2: so does what is found at a request_uri",
    rule: "registration.request-object-keys",
    client: { ...good, request_uris: ["https://client.example/r"] },
    faults: ["request_uris: has signed requests, and no key of the client is known"],
  },
  {
    title: "OpenID Connect Core §6.1: unsigned request objects need none",
    rule: undefined,
    client: { ...good, request_object_signing_alg: "none", request_uris: ["https://client.example/r"] },
    faults: [],
  },
  {
    title: "OpenID Connect Core §6.1: with keys a client may sign its request objects, and must if it says so",
    rule: undefined,
    client: { ...good, jwks, request_object_signing_alg: "ES256", require_signed_request_object: true },
    faults: [],
  },
  {
    title: "RFC 9101 §10.5: a client cannot have to sign with none",
    rule: "registration.request-object-signed",
    client: { ...good, request_object_signing_alg: "none", require_signed_request_object: true },
    faults: ["request_object_signing_alg: is none, while require_signed_request_object asks for signatures"],
  },
  {
    title: "Dynamic Client Registration §2: request objects are encrypted to a key that the provider has",
    rule: undefined,
    client: { ...good, jwks, request_object_encryption_alg: "RSA-OAEP-256", request_object_encryption_enc: "A256GCM" },
    faults: [],
  },
  {
    title: "Dynamic Client Registration §2: request objects cannot be encrypted to a key that the provider does not have",
    rule: "registration.request-object-encryption",
    client: { ...good, jwks, request_object_encryption_alg: "ECDH-ES" },
    faults: ["request_object_encryption_alg: is ECDH-ES: the provider has no key for that"],
  },
  {
    title: "Dynamic Client Registration §2: request_object_encryption_enc needs request_object_encryption_alg",
    rule: "registration.request-object-encryption",
    client: { ...good, jwks, request_object_encryption_enc: "A256GCM" },
    faults: ["request_object_encryption_enc: means nothing without request_object_encryption_alg"],
  },
  {
    title: "specification §1: a provider that a client allows is a configured one",
    rule: "registration.identity-providers",
    client: { ...good, identity_providers: ["corp", "school"] },
    seen: { identityProviders: ["corp"] },
    faults: ["identity_providers.1: school is no configured provider"],
  },
  {
    title: "specification §1: where the configured providers are not known, those of a client are not judged",
    rule: undefined,
    client: { ...good, identity_providers: ["corp"] },
    faults: [],
  },
  {
    title: "specification §1: a client that wants no password of ours names a provider",
    rule: "registration.local-login",
    client: { ...good, allow_local_login: false },
    faults: ["allow_local_login: leaves its people no way to sign in"],
  },
  {
    title: "RFC 7591 §2: a policy for a grant that is not turned on is a fault",
    rule: "registration.grant-policies-known",
    client: { ...good, grant_policies: { [exchange.name]: {} } },
    faults: [`grant_policies.${exchange.name}: is no extension grant of this provider`],
  },
  {
    title: "RFC 7591 §2: a policy that its grant cannot read is a fault, where it stands",
    rule: "registration.grant-policies",
    client: {
      ...good,
      grant_types: ["authorization_code", exchange.name],
      grant_policies: { [exchange.name]: { impersonation: true, clients: "web" } },
    },
    seen: exchanging,
    faults: [`grant_policies.${exchange.name}.clients: is not a list of texts`],
  },
  {
    title: "RFC 8693 §2: a client with a sound policy for token exchange may be registered",
    rule: undefined,
    client: {
      ...good,
      grant_types: ["authorization_code", exchange.name],
      grant_policies: { [exchange.name]: { impersonation: true, clients: ["web"], scope: "openid", max_lifetime: 60 } },
    },
    seen: exchanging,
    faults: [],
  },
  ...(
    [
      [[], "", "is not an object"],
      [{ magic: true }, ".magic", "is not known to this policy"],
      [{ toString: true }, ".toString", "is not known to this policy"],
      [{ impersonation: "yes" }, ".impersonation", "is not true or false"],
      [{ scope: " " }, ".scope", "is not scopes in one text, separated by spaces"],
      [{ max_lifetime: 0.5 }, ".max_lifetime", "is not a whole number of seconds, at least 1"],
    ] as const
  ).map(([policy, path, reason]): RegistrationCase => ({
    title: `RFC 8693 §2: the policy ${JSON.stringify(policy)} for token exchange is a fault`,
    rule: "registration.grant-policies",
    client: { ...good, grant_types: ["authorization_code", exchange.name], grant_policies: { [exchange.name]: policy } },
    seen: exchanging,
    faults: [`grant_policies.${exchange.name}${path}: ${reason}`],
  })),
  {
    title: "RFC 7591 §2: a way of client authentication that the provider has not is a fault",
    rule: "registration.auth-method",
    client: { ...good, token_endpoint_auth_method: "attest_jwt_client_auth" },
    faults: ["token_endpoint_auth_method: attest_jwt_client_auth is not a way of client authentication of this provider"],
  },
  {
    title: "RFC 7591 §2: every fault is reported, not the first alone",
    rule: undefined,
    client: { client_id: "c", grant_types: ["authorization_code", "magic"], scope: "nonsense" },
    faults: [
      "scope: nonsense: no such scope",
      "redirect_uris: is missing or empty",
      "grant_types.1: magic is not a grant type of this provider",
      "client_secret: is missing",
    ],
  },
  {
    title: "RFC 7800 §3.1: a client whose tokens must be bound in two ways would get none",
    rule: "registration.confirmation-one",
    client: { ...good, ...boundTwice },
    seen: registering({ features: confirmingTwice() }),
    faults: ["tokens_must_be_bound_too: binds tokens in another way than tokens_must_be_bound, and a token has one confirmation"],
  },
  {
    title: "RFC 7800 §3.1: a client whose tokens must be bound in one of two ways may be registered",
    rule: undefined,
    client: { ...good, ...boundOnce },
    seen: registering({ features: confirmingTwice() }),
    faults: [],
  },
  {
    title: "RFC 7591 §2: metadata that IANA registers and that decides nothing may be registered",
    rule: undefined,
    client: { ...good, ...everyKept },
    faults: [],
  },
  ...(
    [
      [
        "tls_client_certificate_bound_access_tokens",
        "RFC 8705 §3.4",
        "registration.certificate-bound",
        "access tokens bound to a certificate",
      ],
      ["dpop_bound_access_tokens", "RFC 9449 §5.2", "registration.dpop-bound", "access tokens bound to a key"],
    ] as const
  ).map(([name, cites, rule, what]): RegistrationCase => ({
    title: `${cites}: ${name}, a protection that there is none of, is not taken as if there were`,
    rule,
    client: { ...good, [name]: true },
    faults: [`${name}: asks for ${what}, which this provider does not do`],
  })),
  {
    title: "RFC 7591 §3.2.1: a secret that is said to expire is refused, since none does",
    rule: "registration.secret-expiry",
    client: { ...good, client_secret_expires_at: 1_800_000_000 },
    faults: ["client_secret_expires_at: is a moment, and secrets do not expire here"],
  },
  {
    title: "RFC 7592 §3: a registration access token is no metadata to keep",
    rule: "registration.access-token",
    client: { ...good, registration_access_token: "a credential" },
    faults: ["registration_access_token: is a credential of another provider's registration endpoint"],
  },
  {
    title: "OpenID Connect Core §10.2: an encrypted ID token needs a key of the client",
    rule: "registration.encryption-keys",
    client: { ...good, id_token_encrypted_response_alg: "RSA-OAEP-256" },
    faults: ["id_token_encrypted_response_alg: is RSA-OAEP-256, and no key of the client is known"],
  },
  ...unfit.flatMap(([alg, keys]): ReadonlyArray<RegistrationCase> => {
    const faulty = (name: string, rule: string): RegistrationCase => ({
      title: `OpenID Connect Core §10.2: ${name} ${alg}, and no key of jwks fits it: ${JSON.stringify(keys).slice(0, 120)}`,
      rule,
      client: { ...good, jwks: { keys }, [name]: alg },
      faults: [`${name}: is ${alg}, and no key of its jwks fits ${alg}`],
    })
    return [
      ...["id_token", "userinfo", "introspection"].map((answer) =>
        faulty(`${answer}_encrypted_response_alg`, "registration.encryption-keys"),
      ),
      faulty("authorization_encrypted_response_alg", "registration.response-encryption-keys"),
    ]
  }),
  ...(
    [
      ["RSA-OAEP-256", [ec, { ...rsa, use: "enc", key_ops: ["wrapKey"] }]],
      ["ECDH-ES", [rsa, { ...ec, alg: "ECDH-ES" }]],
      ["ECDH-ES+A256KW", [{ kty: "OKP", crv: "X25519", x: ec.x, key_ops: ["deriveBits"] }]],
    ] as const
  ).map(([alg, keys]): RegistrationCase => ({
    title: `OpenID Connect Core §10.2: responses are encrypted by ${alg} where one key fits it`,
    rule: undefined,
    client: { ...good, jwks: { keys }, id_token_encrypted_response_alg: alg, userinfo_encrypted_response_alg: alg },
    faults: [],
  })),
  {
    title: "OpenID Connect Core §9: a client of private_key_jwt needs a key that its algorithm can be verified by",
    rule: "registration.keys",
    client: { ...signing, jwks: { keys: [rsa, { ...ec, use: "enc" }] } },
    faults: ["token_endpoint_auth_method: is private_key_jwt, and no key of its jwks fits ES256"],
  },
  {
    title: "OpenID Connect Core §9: where it states no algorithm, it needs one that verifies any",
    rule: "registration.keys",
    client: { ...signing, token_endpoint_auth_signing_alg: undefined, jwks: { keys: [] } } as unknown as typeof good,
    faults: ["token_endpoint_auth_method: is private_key_jwt, and no key of its jwks can verify a signature"],
  },
  {
    title: "OpenID Connect Core §6.1: request objects are verified by a key that fits their algorithm",
    rule: "registration.request-object-keys",
    client: { ...good, jwks: { keys: [ec] }, request_object_signing_alg: "PS256" },
    faults: ["request_object_signing_alg: is PS256, and no key of its jwks fits PS256"],
  },
  {
    title:
      "RFC 7662 §2.1: a resource server, which gets no tokens, may be registered for a secret under the profile, and signs no access tokens",
    rule: undefined,
    client: {
      client_id: "api",
      client_secret: "s",
      profile: "fapi2-security",
      grant_types: [],
      response_types: [],
      introspection_resources: ["https://api.example"],
      introspection_signed_response_alg: "ES256",
    },
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: [],
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): assertions need a key that fits an algorithm of the profile",
    rule: "registration.keys",
    client: { ...banking, ...answersBy("PS256"), profile: "fapi2-security", jwks: { keys: [{ ...rsa, alg: "RS256" }] } },
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: ["token_endpoint_auth_method: is private_key_jwt, and no key of its jwks fits any of PS256, ES256, EdDSA, Ed25519"],
  },
  ...(
    [
      [undefined, "no key of the client is known"],
      [{ keys: [{ ...rsa, alg: "RS256" }] }, "no key of its jwks fits any of PS256, ES256, EdDSA, Ed25519"],
    ] as const
  ).map(([own, reason]): RegistrationCase => ({
    title: `FAPI 2.0 Message Signing §5.3: a client whose certificate authenticates it needs a key for its requests: ${reason}`,
    rule: "registration.request-object-keys",
    client: {
      ...banking,
      ...answersBy("PS256"),
      profile: "fapi2-message-signing",
      token_endpoint_auth_method: "tls_client_auth",
      tls_client_auth_san_dns: "bank.example",
      jwks: own,
    } as unknown as RegistrationCase["client"],
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: [`profile: fapi2-message-signing demands signed requests, and ${reason}`],
  })),
  {
    title: "FAPI 2.0 Message Signing §5.3: a machine, which asks no person, needs none",
    rule: undefined,
    client: {
      client_id: "bank",
      profile: "fapi2-message-signing",
      token_endpoint_auth_method: "tls_client_auth",
      tls_client_auth_san_dns: "bank.example",
      grant_types: ["client_credentials"],
      response_types: [],
      access_token_signed_response_alg: "ES256",
    } as unknown as RegistrationCase["client"],
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: [],
  },
  {
    title: "RFC 8705 §2.2.2: a key for encryption stands for no certificate",
    rule: "registration.certificate-keys",
    client: {
      ...good,
      client_secret: undefined,
      token_endpoint_auth_method: "self_signed_tls_client_auth",
      jwks: { keys: [{ ...ec, use: "enc" }] },
    } as unknown as typeof good,
    faults: ["token_endpoint_auth_method: is self_signed_tls_client_auth, and no certificate of the client is known"],
  },
  {
    title: "OpenID Connect Core §10.2: with jwks_uri it has one",
    rule: undefined,
    client: { ...good, userinfo_encrypted_response_alg: "ECDH-ES", jwks_uri: "https://app.example/jwks" },
    faults: [],
  },
  {
    title: "OpenID Connect Dynamic Client Registration §2: how content is encrypted without how its key is",
    rule: "registration.encryption-alg",
    client: { ...good, userinfo_encrypted_response_enc: "A256GCM" },
    faults: ["userinfo_encrypted_response_enc: needs userinfo_encrypted_response_alg"],
  },
  {
    title: "RFC 8705 §2.1.2: tls_client_auth needs a name of the certificate",
    rule: "registration.certificate-name",
    client: { ...good, client_secret: undefined, token_endpoint_auth_method: "tls_client_auth" } as unknown as typeof good,
    faults: ["token_endpoint_auth_method: is tls_client_auth, and no name of the certificate is known"],
  },
  {
    title: "RFC 8705 §2.1.2: one name, and no other",
    rule: "registration.certificate-name",
    client: { ...good, tls_client_auth_san_dns: "app.example", tls_client_auth_san_uri: "urn:example:app" },
    faults: ["tls_client_auth_san_uri: is given beside tls_client_auth_san_dns"],
  },
  {
    title: "RFC 8705 §2.1.2: a subject is a distinguished name",
    rule: "registration.certificate-subject",
    client: { ...good, tls_client_auth_subject_dn: "app" },
    faults: ["tls_client_auth_subject_dn: is no distinguished name"],
  },
  {
    title: "RFC 8705 §2.1.2: an address is an IP address",
    rule: "registration.certificate-address",
    client: { ...good, tls_client_auth_san_ip: "192.0.2.256" },
    faults: ["tls_client_auth_san_ip: is no IP address"],
  },
  {
    title: "RFC 8705 §2.2.2: self_signed_tls_client_auth needs the client's certificates",
    rule: "registration.certificate-keys",
    client: { ...good, client_secret: undefined, token_endpoint_auth_method: "self_signed_tls_client_auth" } as unknown as typeof good,
    faults: ["token_endpoint_auth_method: is self_signed_tls_client_auth, and no certificate of the client is known"],
  },
  {
    title: "JARM §3: how the content of responses is encrypted without how its key is",
    rule: "registration.response-encryption-alg",
    client: { ...good, authorization_encrypted_response_enc: "A256GCM" },
    faults: ["authorization_encrypted_response_enc: means nothing without authorization_encrypted_response_alg"],
  },
  {
    title: "JARM §2.2: encrypted responses need a key of the client",
    rule: "registration.response-encryption-keys",
    client: { ...good, authorization_encrypted_response_alg: "ECDH-ES" },
    faults: ["authorization_encrypted_response_alg: is ECDH-ES, and no key of the client is known"],
  },
  {
    title: "JARM §2.2: with jwks_uri they have one",
    rule: undefined,
    client: { ...good, authorization_encrypted_response_alg: "ECDH-ES", jwks_uri: "https://app.example/jwks" },
    faults: [],
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: a client restricts itself to response modes that there are",
    rule: "registration.response-modes",
    client: { ...good, response_modes: ["jwt", "smoke"] } as typeof good,
    faults: ["response_modes.1: smoke is not a response mode of this provider"],
  },
  ...(
    [
      ["fapi2-message-signing", ["query", "jwt", "form_post"], [0, 2]],
      ["fapi2-security", ["query", "query.jwt", "fragment", "form_post"], [2, 3]],
      ["fapi1-advanced", ["query", "fragment.jwt"], [0]],
      ["fapi1-advanced", ["fragment", "form_post"], [], ["code id_token"]],
      ["default", ["query", "form_post"], []],
    ] as const
  ).map(([profile, response_modes, refused, response_types = ["code"]]): RegistrationCase => ({
    title: `FAPI 2.0 Message Signing §5.4: of ${profile}, ${response_types.join()}, the modes ${response_modes.join(", ")} are ${refused.length === 0 ? "taken" : "not all taken"}`,
    rule: refused.length === 0 ? undefined : "registration.profile-response-modes",
    client: {
      ...banking,
      ...answersBy("PS256"),
      ...(response_types[0] === "code" ? {} : { grant_types: ["authorization_code", "implicit"] }),
      profile,
      response_modes,
      response_types,
    } as RegistrationCase["client"],
    faults: refused.map((at) => `response_modes.${at}: ${response_modes[at] ?? ""} is refused by the profile ${profile}`),
  })),
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): a client that names the mode jwt gets no RS256 there",
    rule: "registration.profile-algorithms",
    client: { ...banking, profile: "fapi2-security", response_modes: ["query", "jwt"] } as RegistrationCase["client"],
    faults: ["authorization_signed_response_alg: RS256 is refused by the profile fapi2-security"],
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (5): tokens that are bound to a certificate are not bound to a key",
    rule: "registration.profile-confirmation",
    client: { ...banking, ...answersBy("PS256"), profile: "fapi1-advanced", dpop_bound_access_tokens: true },
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: ["dpop_bound_access_tokens: binds tokens to a key, and the profile fapi1-advanced to a certificate"],
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (5): those of its clients may be",
    rule: undefined,
    client: { ...banking, profile: "fapi2-security", dpop_bound_access_tokens: true },
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: [],
  },
  ...(
    [
      ["fapi2-security", [], "profile-confirmation", "tokens bound to a key or certificate"],
      ["fapi1-advanced", ["dpop_bound_access_tokens"], "profile-confirmation", "tokens bound to a certificate"],
      ["fapi2-security", ["dpop_bound_access_tokens"], undefined, ""],
      ["fapi2-security", ["tls_client_certificate_bound_access_tokens"], undefined, ""],
      ["fapi1-advanced", ["tls_client_certificate_bound_access_tokens"], undefined, ""],
    ] as const
  ).map(([profile, names, rule, what]): RegistrationCase => ({
    title: `FAPI 2.0 Security Profile §5.3.2.1 (5): ${profile} at a provider ${names.length === 0 ? "that binds no tokens" : `with ${names.join()}`}`,
    rule: rule === undefined ? undefined : `registration.${rule}`,
    client: { ...banking, ...answersBy("PS256"), profile },
    seen: { clientMetadata: new Set([...names, pushing]) },
    faults: rule === undefined ? [] : [`profile: ${profile} demands ${what}, which this provider does not do`],
  })),
  ...(
    [
      ["dpop_bound_access_tokens", { ...good, dpop_bound_access_tokens: true }],
      ["the profile fapi2-security", { ...banking, profile: "fapi2-security" }],
    ] as const
  ).map(([held, client]): RegistrationCase => ({
    title: `RFC 9449 §5.2: ${held} demands bound access tokens, so refresh tokens are not bound alone`,
    rule: "registration.dpop-refresh-alone",
    client: { ...client, ...boundTo("refresh") },
    seen: { clientMetadata: new Set([...bindings, pushing]) },
    faults: [`dpop_bound_tokens: is refresh, and ${held} demands bound access tokens`],
  })),
  ...(["access", "refresh", "both"] as const).flatMap((dpop_bound_tokens): ReadonlyArray<RegistrationCase> => [
    {
      title: `RFC 9449 §5: a confidential client may have ${dpop_bound_tokens} bound to the key of a proof`,
      rule: undefined,
      client: { ...good, ...boundTo(dpop_bound_tokens) },
      faults: [],
    },
    {
      title: `RFC 9449 §5: a public client may ${dpop_bound_tokens === "access" ? "not " : ""}have ${dpop_bound_tokens} bound to it`,
      rule: dpop_bound_tokens === "access" ? "registration.dpop-public-refresh" : undefined,
      client: { ...publicClient, ...boundTo(dpop_bound_tokens) },
      faults:
        dpop_bound_tokens === "access" ? ["dpop_bound_tokens: is access, and the refresh tokens of a public client are always bound"] : [],
    },
  ]),
  {
    title: "FAPI 2.0 Security Profile §5.3.2.2 (2): its clients push, so there must be an endpoint to push to",
    rule: "registration.profile-pushing",
    client: { ...banking, profile: "fapi2-security" },
    seen: { clientMetadata: new Set(bindings) },
    faults: ["profile: fapi2-security demands pushed authorization requests, which this provider does not do"],
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2: its clients need not push",
    rule: undefined,
    client: { ...banking, ...answersBy("PS256"), profile: "fapi1-advanced" },
    seen: { clientMetadata: new Set(bindings) },
    faults: [],
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: its clients need responses as JWTs",
    rule: "registration.profile-responses",
    client: { ...banking, ...answersBy("PS256"), profile: "fapi2-message-signing" },
    seen: { responseModes: ["query", "form_post"] },
    faults: ["profile: fapi2-message-signing demands responses as JWTs, which this provider does not do"],
  },
  {
    title: "OpenID Connect Core §8.1: a pairwise client needs the provider's salt",
    rule: "registration.pairwise-salt",
    client: { ...good, subject_type: "pairwise" },
    faults: ["subject_type: is pairwise, and the provider has no pairwise_salt"],
  },
  {
    title: "OpenID Connect Core §8.1: redirect URIs of several hosts need a sector identifier",
    rule: "registration.pairwise-sector",
    client: { ...good, subject_type: "pairwise", redirect_uris: ["https://a.example/cb", "https://b.example/cb"] },
    seen: { pairwise: true },
    faults: ["sector_identifier_uri: is missing: the redirect URIs have several hosts, which would be several sectors"],
  },
  {
    title: "OpenID Connect Core §8.1: with a sector identifier they are one sector",
    rule: undefined,
    client: {
      ...good,
      subject_type: "pairwise",
      redirect_uris: ["https://a.example/cb", "https://b.example/cb"],
      sector_identifier_uri: "https://a.example/sector",
    },
    seen: { pairwise: true },
    faults: [],
  },
  {
    title: "RFC 9396 §10: a client uses types that the provider has",
    rule: "registration.authorization-details-types",
    client: { ...good, authorization_details_types: ["payment", "loan"] },
    seen: { detailTypes: ["payment"] },
    faults: ["authorization_details_types.1: loan is no type of authorization_details"],
  },
  {
    title: "RFC 9396 §10: types are not judged where those of the provider are not known",
    rule: undefined,
    client: { ...good, authorization_details_types: ["loan"] },
    faults: [],
  },
]

const { registration, clientAuthentication, responseModes } = registering({})
const own = { registration, clientAuthentication, responseModes }

/** The faults of a case, as `path: reason`. */
export const faultsOf = ({ client, seen }: RegistrationCase, rulesOff: ReadonlySet<string> = new Set()): ReadonlyArray<string> =>
  registrationFaults(client, {
    catalog: known,
    grantTypes: ["authorization_code", "refresh_token", "client_credentials", "implicit"],
    responseTypes: ["code", "code id_token"],
    secretKept: false,
    pairwise: false,
    sealing: true,
    development: false,
    encryptionAlgorithms: ["RSA-OAEP-256"],
    ...own,
    rulesOff,
    ...seen,
  }).map(({ path, reason }) => `${path.join(".")}: ${reason}`)
