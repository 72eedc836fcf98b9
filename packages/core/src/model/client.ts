import type { Json } from "./json.ts"
import type { EncryptionChoice, KeySource, SigningAlgorithm } from "./jwk.ts"
import type { Members } from "./member.ts"
import type { Instant, Seconds } from "./time.ts"

/**
 * The `typ` header of a JWT access token: `at+jwt` (RFC 9068 §2.1), or `JWT` for resource servers that refuse any other (RFC 7519 §5.1). Only
 * `at+jwt` keeps a resource server from taking an ID token for an access token.
 */
export type AccessTokenTyp = "at+jwt" | "JWT"

/** The form of an access token: a JWT (RFC 9068), or an opaque reference looked up at introspection. */
export type AccessTokenFormat = "jwt" | "reference"

/** Lifetimes of the things a client is given, in seconds. */
export interface Lifetimes {
  /** Life of an access token. */
  readonly accessToken: Seconds
  /** Life of an ID token. */
  readonly idToken: Seconds
  /** Life of an authorization code. */
  readonly authorizationCode: Seconds
  /** Longest life of a refresh token family; 0 lets it slide without end. */
  readonly refreshTokenAbsolute: Seconds
  /** Life of a refresh token after its last use. */
  readonly refreshTokenSliding: Seconds
  /** Time for which a rotated refresh token still answers with its successor. */
  readonly refreshTokenGrace: Seconds
  /** Life of a remembered consent; 0 is without end. */
  readonly consent: Seconds
  /** Life of a device code and its user code. */
  readonly deviceCode: Seconds
  /** Time that a device waits between two polls, until it is told to slow down. */
  readonly devicePollingInterval: Seconds
}

/** The request objects that a client may send (RFC 9101). */
export interface RequestObjectPolicy {
  /** The only algorithm they may be signed with, `none` for unsigned; any of {@link peerAlgorithms} when undefined. */
  readonly signingAlg?: string | undefined
  /** The algorithms they must be encrypted with; undefined when they may come unencrypted. */
  readonly encryption?: EncryptionChoice | undefined
  /** True if every authorization request must be one (RFC 9101 §10.5). */
  readonly required: boolean
  /** The only values of `request_uri`. */
  readonly uris: ReadonlyArray<string>
}

/** A client that made itself known: nobody has checked who is behind it. */
export interface SelfRegistration {
  /** The time until which it is kept unless a grant of it lives longer; 0 is for ever. */
  readonly keepUntil: Instant
  /** The time before which people agreed to something else: a consent of then does not count. */
  readonly consentsSince: Instant
}

/** The parts of a client's own metadata that the consent of a person rests on. They are JSON. */
export interface ClientTerms {
  /** The name that it calls itself; null where it has none. */
  readonly name: string | null
  /** Its redirect URIs. */
  readonly redirectUris: ReadonlyArray<string>
  /** The scope that it states; null where it states none. */
  readonly scope: string | null
  /** The way it authenticates by. */
  readonly method: string
  /** The URL of its keys, or the SHA-256 of those that it states; null where it has none. */
  readonly keys: string | null
}

/** The document at its own id, a URL, that a client is known by: nobody registered it. */
export interface ClientDocument {
  /** The host of the URL, and its port where it names one: the only thing about the client that is proved. */
  readonly host: string
  /** The SHA-256 of its metadata: a code is redeemed by the version that it was issued to. */
  readonly digest: string
  /** The parts that a consent rests on. */
  readonly terms: ClientTerms
  /** True if the operator vouches for the host. */
  readonly isVerified: boolean
  /** True if the client is under development: its document lies at a service for that, or on the machine of a provider that is itself under development. */
  readonly isUnderDevelopment: boolean
  /** The time until which the copy is kept. */
  readonly keepUntil: Instant
}

/** A registered client, as the rules see it. Made from {@link ClientMetadata}; holds no secret. */
export interface Client extends Members {
  /** The `client_id`. */
  readonly clientId: string
  /** The profile it is held to; the provider's when undefined. */
  readonly profile?: string | undefined
  /** Refuses the client everywhere while true. */
  readonly disabled: boolean
  /** The name shown to people; the `client_id` where there is none. */
  readonly clientName?: string | undefined
  /** The home page of the client. */
  readonly clientUri?: string | undefined
  /** The logo of the client. */
  readonly logoUri?: string | undefined
  /** The privacy policy of the client. */
  readonly policyUri?: string | undefined
  /** The terms of service of the client. */
  readonly tosUri?: string | undefined
  /** `native` lets redirect URIs be loopback addresses or private schemes (RFC 8252 §7). */
  readonly applicationType: "web" | "native"
  /** The method the client authenticates by (RFC 7591 §2). */
  readonly tokenEndpointAuthMethod: string
  /** Methods it may authenticate by: the one its metadata states, or its secret in either way when it states none. */
  readonly authenticationMethods: ReadonlyArray<string>
  /** The only algorithm its assertions may be signed with; any that fits its method when undefined. */
  readonly tokenEndpointAuthSigningAlg?: string | undefined
  /** The audience its assertions must name: the issuer alone, or one of our endpoints' URLs too. */
  readonly clientAssertionAudience: "issuer" | "any"
  /** The public keys of the client. */
  readonly keys: KeySource
  /** The grant types it may use. */
  readonly grantTypes: ReadonlyArray<string>
  /** Each in canonical word order: `code`, `code id_token`, … */
  readonly responseTypes: ReadonlyArray<string>
  /** The redirect URIs, compared byte for byte (RFC 6749 §3.1.2.3). */
  readonly redirectUris: ReadonlyArray<string>
  /** The URIs it may be returned to after logout. */
  readonly postLogoutRedirectUris: ReadonlyArray<string>
  /** The scopes this client is explicitly allowed. */
  readonly scope: ReadonlyArray<string>
  /** Resource identifiers whose tokens this client, as their resource server, may introspect. */
  readonly introspectionResources: ReadonlyArray<string>
  /** True if authorization requests need a code challenge (RFC 7636). */
  readonly requirePkce: boolean
  /** True if a challenge may be `plain` (RFC 7636 §4.2). */
  readonly allowPlainPkce: boolean
  /** True if people are asked for consent. */
  readonly requireConsent: boolean
  /** The form of its access tokens. */
  readonly accessTokenFormat: AccessTokenFormat
  /** The algorithm that signs its JWT access tokens. */
  readonly accessTokenSignedResponseAlg: SigningAlgorithm
  /** The `typ` header of its JWT access tokens. */
  readonly accessTokenTyp: AccessTokenTyp
  /** The algorithm that signs its ID tokens. */
  readonly idTokenSignedResponseAlg: SigningAlgorithm
  /** Put user claims into the ID token even when an access token is issued too. */
  readonly idTokenUserClaims: boolean
  /** The encryption of its ID tokens; none when undefined. */
  readonly idTokenEncryption?: EncryptionChoice | undefined
  /** Undefined for userinfo as plain JSON. */
  readonly userinfoSignedResponseAlg?: SigningAlgorithm | undefined
  /** The encryption of userinfo; none when undefined. */
  readonly userinfoEncryption?: EncryptionChoice | undefined
  /** The algorithm that signs introspections as JWTs (RFC 9701 §5). */
  readonly introspectionSignedResponseAlg: SigningAlgorithm
  /** The encryption of introspections as JWTs; none when undefined. */
  readonly introspectionEncryption?: EncryptionChoice | undefined
  /** The request objects it may send (RFC 9101). */
  readonly requestObjects: RequestObjectPolicy
  /** Reports whether each sector sees a subject of its own (OpenID Connect Core §8). */
  readonly subjectType: "public" | "pairwise"
  /** The document that names its sector (OpenID Connect Core §8.1). */
  readonly sectorIdentifierUri?: string | undefined
  /** The authentication contexts asked for where a request names none. */
  readonly defaultAcrValues: ReadonlyArray<string>
  /** Names of the identity providers its people may come from. */
  readonly identityProviders: ReadonlyArray<string>
  /** True if its people may sign in with a password of ours. */
  readonly allowLocalLogin: boolean
  /** The client's grants that signing out revokes: none, those without `offline_access`, or all of the session's. */
  readonly revokeOnLogout: "none" | "online" | "all"
  /** Policies of what extension grants may do for it, by grant type. */
  readonly grantPolicies: Readonly<Record<string, Json>>
  /** The `max_age` of requests that state none. */
  readonly defaultMaxAge?: Seconds | undefined
  /** The lifetimes of its tokens and codes. */
  readonly lifetimes: Lifetimes
  /** True if its redirect URIs on `http://localhost` may vary in port as those on loopback addresses do: native clients alone. */
  readonly loopbackLocalhost?: boolean | undefined
  /** Set for a client that registered itself; undefined for one that an operator registered. */
  readonly selfRegistered?: SelfRegistration | undefined
  /** Set for a client that is known by the document at its id. */
  readonly document?: ClientDocument | undefined
}

/** A client that can keep no secret (RFC 6749 §2.1). */
export const isPublic = (client: Client): boolean => client.tokenEndpointAuthMethod === "none"
