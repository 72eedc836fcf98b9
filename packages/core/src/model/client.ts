import type { Seconds } from "./time.ts"

/** How a client proves itself at the token endpoint (RFC 7591 §2 `token_endpoint_auth_method`). */
export type ClientAuthenticationMethod = "client_secret_basic" | "client_secret_post" | "none"

/** Algorithms an ID token or access token may be signed with (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm = "RS256" | "ES256" | "PS256" | "EdDSA"

/** The form of an access token: a JWT (RFC 9068), or an opaque reference looked up at introspection. */
export type AccessTokenFormat = "jwt" | "reference"

/** How long what a client is given stays good, in seconds. */
export interface Lifetimes {
  readonly accessToken: Seconds
  readonly idToken: Seconds
  readonly authorizationCode: Seconds
  /** Longest life of a refresh token family; 0 lets it slide without end. */
  readonly refreshTokenAbsolute: Seconds
  /** Life of a refresh token after its last use. */
  readonly refreshTokenSliding: Seconds
  /** How long a rotated refresh token still answers with its successor. */
  readonly refreshTokenGrace: Seconds
  /** Life of a remembered consent; 0 is without end. */
  readonly consent: Seconds
}

/** A registered client, as the rules see it. Made from {@link ClientMetadata}; holds no secret. */
export interface Client {
  readonly clientId: string
  readonly disabled: boolean
  readonly clientName: string | undefined
  readonly clientUri: string | undefined
  readonly logoUri: string | undefined
  readonly policyUri: string | undefined
  readonly tosUri: string | undefined
  readonly applicationType: "web" | "native"
  readonly tokenEndpointAuthMethod: ClientAuthenticationMethod
  readonly grantTypes: ReadonlyArray<string>
  /** Each in canonical word order: `code`, `code id_token`, … */
  readonly responseTypes: ReadonlyArray<string>
  readonly redirectUris: ReadonlyArray<string>
  readonly postLogoutRedirectUris: ReadonlyArray<string>
  /** The scopes this client is explicitly allowed. */
  readonly scope: ReadonlyArray<string>
  /** Resource identifiers whose tokens this client, as their resource server, may introspect. */
  readonly introspectionResources: ReadonlyArray<string>
  readonly requirePkce: boolean
  readonly allowPlainPkce: boolean
  readonly requireConsent: boolean
  readonly accessTokenFormat: AccessTokenFormat
  readonly accessTokenSignedResponseAlg: SigningAlgorithm
  readonly idTokenSignedResponseAlg: SigningAlgorithm
  /** Put user claims into the ID token even when an access token is issued too. */
  readonly idTokenUserClaims: boolean
  readonly defaultMaxAge: Seconds | undefined
  readonly lifetimes: Lifetimes
}

/** A client that can keep no secret (RFC 6749 §2.1). */
export const isPublic = (client: Client): boolean => client.tokenEndpointAuthMethod === "none"
