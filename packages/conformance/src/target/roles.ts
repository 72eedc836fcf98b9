import { type RoleDetails, ownDetailType } from "./details.ts"

/** The address that answers of the authorization endpoint are sent to. It is never asked: the browser stops in front of it. */
export const callback = "https://client.conformance.test/callback"

/** A second registered address, with a query of its own. */
const otherCallback = "https://client.conformance.test/callback?tab=1"

/** The address that people are sent to after they signed out. */
export const signedOut = "https://client.conformance.test/signed-out"

const person = "openid profile email address phone offline_access"

const code = {
  redirect_uris: [callback, otherCallback],
  post_logout_redirect_uris: [signedOut],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  scope: person,
} as const

/** The address where a client is told of the results of its CIBA requests. */
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

const financial = {
  token_endpoint_auth_method: "private_key_jwt",
  require_pushed_authorization_requests: true,
  id_token_signed_response_alg: "ES256",
  access_token_signed_response_alg: "ES256",
  authorization_signed_response_alg: "ES256",
} as const

/**
 * The clients that requirements use, as the metadata that registers them (RFC 7591 §2). A target may have some of them: requirements that need another are
 * skipped.
 */
export const roles = {
  /** A web application with a secret. */
  web: { ...code, token_endpoint_auth_method: "client_secret_basic" },
  /** Another one, which must not get what is meant for the first. */
  other: { ...code, token_endpoint_auth_method: "client_secret_basic" },
  /** A web application that sends its secret in the form. */
  post: { ...code, token_endpoint_auth_method: "client_secret_post" },
  /** An application without a secret. */
  public: { ...code, token_endpoint_auth_method: "none" },
  /** An application that may use every response type. */
  hybrid,
  /** One that has been held to OAuth 2.1 since it was registered. No registration makes it so. */
  older: hybrid,
  /** A service that acts for itself. */
  machine: {
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "conformance.read conformance.write",
  },
  /** A device without a keyboard. */
  device: {
    token_endpoint_auth_method: "none",
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    response_types: [],
    scope: "openid email offline_access",
  },
  /** A web application that signs its assertions with a key (RFC 7523). */
  signing: { ...code, token_endpoint_auth_method: "private_key_jwt" },
  /** A web application that signs its assertions with its secret. */
  mac: { ...code, token_endpoint_auth_method: "client_secret_jwt" },
  /** A web application that signs its authorization requests (RFC 9101). */
  requests: { ...code, token_endpoint_auth_method: "client_secret_basic", request_object_signing_alg: "ES256" },
  /** A web application of whose people every other sees another subject. */
  pairwise: { ...code, token_endpoint_auth_method: "client_secret_basic", subject_type: "pairwise" },
  /** A web application that must push its authorization requests (RFC 9126). */
  pushing: { ...code, token_endpoint_auth_method: "client_secret_basic", require_pushed_authorization_requests: true },
  /** A web application that people sign out of by a frame in their browser. */
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
  /** A web application that reaches another for its people, and is reached (ID-JAG). */
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
  /** A web application that asks for authorization details (RFC 9396). */
  details: { ...code, token_endpoint_auth_method: "client_secret_basic", authorization_details_types: [ownDetailType] },
  /** A service that asks people on their own devices, and asks for the result (CIBA Core §5). */
  poll: { ...asks, backchannel_token_delivery_mode: "poll" },
  /** One that is told that a result can be fetched. */
  ping: { ...asks, backchannel_token_delivery_mode: "ping", backchannel_client_notification_endpoint: notifiedAt("ping") },
  /** One that is sent the result itself. */
  push: { ...asks, backchannel_token_delivery_mode: "push", backchannel_client_notification_endpoint: notifiedAt("push") },
  /** One that signs its requests (CIBA Core §7.1.1). */
  asking: { ...asks, backchannel_token_delivery_mode: "poll", backchannel_authentication_request_signing_alg: "ES256" },
  /** One that sends the codes of people (CIBA Core §7.1). */
  coded: { ...asks, backchannel_token_delivery_mode: "poll", backchannel_user_code_parameter: true },
  /** One that asks people for authorization details (RFC 9396 §3). */
  terminal: { ...asks, backchannel_token_delivery_mode: "poll", authorization_details_types: [ownDetailType] },
  /** A web application that is held to the FAPI 2.0 Security Profile. */
  fapi: { ...code, ...financial, dpop_bound_access_tokens: true, profile: "fapi2-security" },
  /** One that is held to FAPI 2.0 Message Signing: it signs its requests, and gets signed responses. That its tokens are bound, its profile alone says. */
  messages: { ...code, ...financial, profile: "fapi2-message-signing", request_object_signing_alg: "ES256" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The name of a client's role. */
export type RoleName = keyof typeof roles

/** Every role, by name. */
export const roleNames = Object.keys(roles) as ReadonlyArray<RoleName>

/** The roles whose clients nobody can register: a client file tells of one where there is one. */
export const historicRoles: ReadonlyArray<RoleName> = ["older"]

/** The roles whose clients have a key. */
export const signingRoles: ReadonlyArray<RoleName> = ["signing", "requests", "asking", "fapi", "messages"]

/** A client as the target has registered it. */
export interface RoleClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly token_endpoint_auth_method: string
  /** The registered addresses; the first is used where a step names none. */
  readonly redirect_uris: ReadonlyArray<string>
  /** The registered addresses for after the sign-out. */
  readonly post_logout_redirect_uris?: ReadonlyArray<string> | undefined
  /** The address where it takes logout tokens, on loopback: the test listens there. */
  readonly backchannel_logout_uri?: string | undefined
  /** The address of its frame after a sign-out. Nobody asks there. */
  readonly frontchannel_logout_uri?: string | undefined
  /** The issuer of an authorization server that the target issues ID-JAGs for to this client. */
  readonly id_jag_audience?: string | undefined
  /** An identity provider whose ID-JAGs the target takes, signed with `key`: their `sub` is the one of its own ID tokens. */
  readonly id_jag_issuer?: string | undefined
  /** The address where it is told of the results of CIBA requests, on loopback: the test listens there. */
  readonly backchannel_client_notification_endpoint?: string | undefined
  /** Authorization details that it may ask for. */
  readonly authorization_details?: RoleDetails | undefined
  /** The scopes that it may ask for. */
  readonly scope?: string | undefined
  /** The private key that it signs with, as a JWK. */
  readonly key?: Readonly<Record<string, unknown>> | undefined
}

/** The first registered redirect URI of a client; one that nothing answers at where it has none. */
export const redirectUri = ({ redirect_uris }: RoleClient): string => redirect_uris[0] ?? callback
