import { type RoleDetails, ownDetailType } from "./details.ts"

/** The redirect URI of authorization responses. No request is sent there, because the browser stops before. */
export const callback = "https://client.conformance.test/callback"

/** A second registered redirect URI, with a query. */
const otherCallback = "https://client.conformance.test/callback?tab=1"

/** The redirect URI after a sign-out. */
export const signedOut = "https://client.conformance.test/signed-out"

const person = "openid profile email address phone offline_access"

const code = {
  redirect_uris: [callback, otherCallback],
  post_logout_redirect_uris: [signedOut],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  scope: person,
} as const

/** The notification endpoint of a CIBA client. */
const notifiedAt = (role: string): string => `https://client.conformance.test/ciba/${role}`

const asks = {
  token_endpoint_auth_method: "client_secret_basic",
  grant_types: ["urn:openid:params:grant-type:ciba", "refresh_token"],
  response_types: [],
  scope: "openid email offline_access",
} as const

const hybrid = {
  ...code,
  token_endpoint_auth_method: "client_secret_basic",
  grant_types: ["authorization_code", "refresh_token", "implicit"],
  response_types: ["code", "code id_token", "code token", "code id_token token", "id_token", "id_token token"],
} as const

const keyboardless = {
  token_endpoint_auth_method: "none",
  grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
  response_types: [],
  scope: "openid email offline_access",
} as const

const financial = {
  token_endpoint_auth_method: "private_key_jwt",
  require_pushed_authorization_requests: true,
  id_token_signed_response_alg: "ES256",
  access_token_signed_response_alg: "ES256",
  authorization_signed_response_alg: "ES256",
} as const

/**
 * The clients that requirements use, as registration metadata (RFC 7591 §2). A target may have only some of them. Requirements that need
 * another one are skipped.
 */
export const roles = {
  /** A web application with a secret. */
  web: { ...code, token_endpoint_auth_method: "client_secret_basic" },
  /** Another web application, which must not get what is meant for the first. */
  other: { ...code, token_endpoint_auth_method: "client_secret_basic" },
  /** A web application that sends its secret in the request body. */
  post: { ...code, token_endpoint_auth_method: "client_secret_post" },
  /** An application without a secret. */
  public: { ...code, token_endpoint_auth_method: "none" },
  /** An application that may use every response type. */
  hybrid,
  /** A client that has been held to OAuth 2.1 since its registration. No registration can create one. */
  older: hybrid,
  /** A service that acts on its own behalf. */
  machine: {
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "conformance.read conformance.write",
  },
  /** A device without a keyboard. */
  device: keyboardless,
  /** Another such device, which must not get what is meant for the first. */
  television: keyboardless,
  /** A web application that signs its assertions with a key (RFC 7523). */
  signing: { ...code, token_endpoint_auth_method: "private_key_jwt" },
  /** A web application that authenticates assertions with its secret. */
  mac: { ...code, token_endpoint_auth_method: "client_secret_jwt" },
  /** A web application that signs its authorization requests (RFC 9101). */
  requests: { ...code, token_endpoint_auth_method: "client_secret_basic", request_object_signing_alg: "ES256" },
  /** A web application with pairwise subject identifiers. */
  pairwise: { ...code, token_endpoint_auth_method: "client_secret_basic", subject_type: "pairwise" },
  /** A web application that must push its authorization requests (RFC 9126). */
  pushing: { ...code, token_endpoint_auth_method: "client_secret_basic", require_pushed_authorization_requests: true },
  /** A web application with a front-channel logout frame. */
  framed: {
    ...code,
    token_endpoint_auth_method: "client_secret_basic",
    frontchannel_logout_uri: "https://client.conformance.test/front-channel",
  },
  /** An application that takes a person's password (RFC 6749 §4.3). */
  password: {
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["password", "refresh_token"],
    response_types: [],
    scope: "openid email offline_access",
  },
  /** A service that exchanges tokens (RFC 8693). */
  exchange: {
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["urn:ietf:params:oauth:grant-type:token-exchange"],
    response_types: [],
    scope: "openid conformance.read",
  },
  /** A web application that obtains ID-JAGs from the target for another server, and redeems ID-JAGs at the target. */
  crossing: {
    ...code,
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: [
      "authorization_code",
      "refresh_token",
      "urn:ietf:params:oauth:grant-type:token-exchange",
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ],
  },
  /** A web application that requests authorization details (RFC 9396). */
  details: { ...code, token_endpoint_auth_method: "client_secret_basic", authorization_details_types: [ownDetailType] },
  /** A service that uses CIBA in poll mode (CIBA Core §5). */
  poll: { ...asks, backchannel_token_delivery_mode: "poll" },
  /** A service that uses CIBA in ping mode. */
  ping: { ...asks, backchannel_token_delivery_mode: "ping", backchannel_client_notification_endpoint: notifiedAt("ping") },
  /** A service that uses CIBA in push mode. */
  push: { ...asks, backchannel_token_delivery_mode: "push", backchannel_client_notification_endpoint: notifiedAt("push") },
  /** A service that signs its CIBA requests (CIBA Core §7.1.1). */
  asking: { ...asks, backchannel_token_delivery_mode: "poll", backchannel_authentication_request_signing_alg: "ES256" },
  /** A service that sends user codes (CIBA Core §7.1). */
  coded: { ...asks, backchannel_token_delivery_mode: "poll", backchannel_user_code_parameter: true },
  /** A service that requests authorization details by CIBA (RFC 9396 §3). */
  terminal: { ...asks, backchannel_token_delivery_mode: "poll", authorization_details_types: [ownDetailType] },
  /** A web application with the FAPI 2.0 Security Profile. */
  fapi: { ...code, ...financial, dpop_bound_access_tokens: true, profile: "fapi2-security" },
  /**
   * A web application with FAPI 2.0 Message Signing. It signs its requests and gets signed responses. Only its profile makes its tokens
   * bound.
   */
  messages: { ...code, ...financial, profile: "fapi2-message-signing", request_object_signing_alg: "ES256" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The name of a client's role. */
export type RoleName = keyof typeof roles

/** Every role, by name. */
export const roleNames = Object.keys(roles) as ReadonlyArray<RoleName>

/** The roles that no registration can create. A client file may have a client for them. */
export const historicRoles: ReadonlyArray<RoleName> = ["older"]

/** The roles whose clients have a key. */
export const signingRoles: ReadonlyArray<RoleName> = ["signing", "requests", "asking", "fapi", "messages"]

/** A client as the target has registered it. */
export interface RoleClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly token_endpoint_auth_method: string
  /** The registered redirect URIs. The first one is the default. */
  readonly redirect_uris: ReadonlyArray<string>
  /** The registered redirect URIs after a sign-out. */
  readonly post_logout_redirect_uris?: ReadonlyArray<string> | undefined
  /** The address for logout tokens. If it is on loopback, the test listens there. */
  readonly backchannel_logout_uri?: string | undefined
  /** The address of its frame after a sign-out. No request is sent there. */
  readonly frontchannel_logout_uri?: string | undefined
  /** The issuer of an authorization server for which the target issues ID-JAGs to this client. */
  readonly id_jag_audience?: string | undefined
  /** An identity provider whose ID-JAGs the target accepts, signed with `key`. Their `sub` is that of the target's own ID tokens. */
  readonly id_jag_issuer?: string | undefined
  /** The notification endpoint for CIBA results. If it is on loopback, the test listens there. */
  readonly backchannel_client_notification_endpoint?: string | undefined
  /** The authorization details that it may request. */
  readonly authorization_details?: RoleDetails | undefined
  /** The scopes that it may request. */
  readonly scope?: string | undefined
  /** Its private key for signing, as a JWK. */
  readonly key?: Readonly<Record<string, unknown>> | undefined
}

/** The first registered redirect URI of a client, or the default one if it has none. */
export const redirectUri = ({ redirect_uris }: RoleClient): string => redirect_uris[0] ?? callback
