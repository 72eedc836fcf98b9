import type { Json } from "./json.ts"
import type { EncryptionChoice, KeySource } from "./jwk.ts"
import type { Seconds } from "./time.ts"

/** How a client proves itself at the token endpoint (RFC 7591 §2 `token_endpoint_auth_method`). */
export type ClientAuthenticationMethod = "client_secret_basic" | "client_secret_post" | "client_secret_jwt" | "private_key_jwt" | "none"

/** Algorithms an ID token or access token may be signed with (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm = "RS256" | "ES256" | "PS256" | "EdDSA"

/**
 * The `typ` header of a JWT access token: `at+jwt` (RFC 9068 §2.1), or `JWT` for resource servers that refuse any other (RFC 7519 §5.1). Only
 * `at+jwt` keeps a resource server from taking an ID token for an access token.
 */
export type AccessTokenTyp = "at+jwt" | "JWT"

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
  readonly deviceCode: Seconds
  /** How long a device waits between two polls, until it is told to slow down. */
  readonly devicePollingInterval: Seconds
}

/** What request objects a client may send (RFC 9101). */
export interface RequestObjectPolicy {
  /** The only algorithm they may be signed with, `none` for unsigned; any of {@link peerAlgorithms} when undefined. */
  readonly signingAlg?: string | undefined
  /** How they must be encrypted; undefined when they may come plain. */
  readonly encryption?: EncryptionChoice | undefined
  /** Whether every authorization request must be one (RFC 9101 §10.5). */
  readonly required: boolean
  /** The only values of `request_uri`. */
  readonly uris: ReadonlyArray<string>
}

/** A registered client, as the rules see it. Made from {@link ClientMetadata}; holds no secret. */
export interface Client {
  readonly clientId: string
  readonly disabled: boolean
  readonly clientName?: string | undefined
  readonly clientUri?: string | undefined
  readonly logoUri?: string | undefined
  readonly policyUri?: string | undefined
  readonly tosUri?: string | undefined
  readonly applicationType: "web" | "native"
  readonly tokenEndpointAuthMethod: ClientAuthenticationMethod
  /** Methods it may authenticate by: the one its metadata states, or its secret in either way when it states none. */
  readonly authenticationMethods: ReadonlyArray<ClientAuthenticationMethod>
  /** The only algorithm its assertions may be signed with; any that fits its method when undefined. */
  readonly tokenEndpointAuthSigningAlg?: string | undefined
  /** Whom its assertions must be made out to: the issuer alone, or one of our endpoints' URLs too. */
  readonly clientAssertionAudience: "issuer" | "any"
  readonly keys: KeySource
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
  /** The `typ` header of its JWT access tokens. */
  readonly accessTokenTyp: AccessTokenTyp
  readonly idTokenSignedResponseAlg: SigningAlgorithm
  /** Put user claims into the ID token even when an access token is issued too. */
  readonly idTokenUserClaims: boolean
  readonly idTokenEncryption?: EncryptionChoice | undefined
  /** Undefined for userinfo as plain JSON. */
  readonly userinfoSignedResponseAlg?: SigningAlgorithm | undefined
  readonly userinfoEncryption?: EncryptionChoice | undefined
  readonly introspectionSignedResponseAlg: SigningAlgorithm
  readonly introspectionEncryption?: EncryptionChoice | undefined
  readonly requestObjects: RequestObjectPolicy
  /** Whether each sector sees a subject of its own (OpenID Connect Core §8). */
  readonly subjectType: "public" | "pairwise"
  readonly sectorIdentifierUri?: string | undefined
  readonly defaultAcrValues: ReadonlyArray<string>
  /** Names of the identity providers its people may come from. */
  readonly identityProviders: ReadonlyArray<string>
  /** Whether its people may sign in with a password of ours. */
  readonly allowLocalLogin: boolean
  /** What signing out takes from it: nothing, what was granted without `offline_access`, or all of the session's. */
  readonly revokeOnLogout: "none" | "online" | "all"
  /** What extension grants may do for it, by grant type. */
  readonly grantPolicies: Readonly<Record<string, Json>>
  readonly defaultMaxAge?: Seconds | undefined
  readonly lifetimes: Lifetimes
}

/** A client that can keep no secret (RFC 6749 §2.1). */
export const isPublic = (client: Client): boolean => client.tokenEndpointAuthMethod === "none"
