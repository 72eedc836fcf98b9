import type { Json } from "./json.ts"
import type { EncryptionChoice, KeySource, SigningAlgorithm } from "./jwk.ts"
import type { Members } from "./member.ts"
import type { Instant, Seconds } from "./time.ts"

/**
 * The `typ` header of a JWT access token: `at+jwt` (RFC 9068 §2.1), or `JWT` for resource servers that refuse any other (RFC 7519 §5.1).
 * Only `at+jwt` prevents a resource server from accepting an ID token as an access token.
 */
export type AccessTokenTyp = "at+jwt" | "JWT"

/** The form of an access token: a JWT (RFC 9068), or an opaque reference looked up at introspection. */
export type AccessTokenFormat = "jwt" | "reference"

/** Lifetimes of everything issued to a client, in seconds. */
export interface Lifetimes {
  /** Lifetime of an access token. */
  readonly accessToken: Seconds
  /** Lifetime of an ID token. */
  readonly idToken: Seconds
  /** Lifetime of an authorization code. */
  readonly authorizationCode: Seconds
  /** Maximum lifetime of a refresh token family; 0 means unlimited. */
  readonly refreshTokenAbsolute: Seconds
  /** Lifetime of a refresh token after its last use. */
  readonly refreshTokenSliding: Seconds
  /** Time during which a rotated refresh token still returns its successor. */
  readonly refreshTokenGrace: Seconds
  /** Lifetime of a remembered consent; 0 means unlimited. */
  readonly consent: Seconds
  /** Lifetime of a device code and its user code. */
  readonly deviceCode: Seconds
  /** Minimum interval between two polls of a device, until it is told to slow down. */
  readonly devicePollingInterval: Seconds
}

/** The request objects that a client may send (RFC 9101). */
export interface RequestObjectPolicy {
  /** The only signing algorithm, `none` for unsigned; any of {@link peerAlgorithms} if undefined. */
  readonly signingAlg?: string | undefined
  /** The required encryption; undefined if they may be unencrypted. */
  readonly encryption?: EncryptionChoice | undefined
  /** True if every authorization request must use one (RFC 9101 §10.5). */
  readonly required: boolean
  /** The allowed values of `request_uri`. */
  readonly uris: ReadonlyArray<string>
}

/** The data of a client that registered itself, whose identity nobody has verified. */
export interface SelfRegistration {
  /** The time until which it is kept, unless one of its grants lives longer; 0 means forever. */
  readonly keepUntil: Instant
  /** The time of its last relevant change. Earlier consents are not valid. */
  readonly consentsSince: Instant
}

/** The parts of a client's own metadata on which a person's consent is based. They are JSON. */
export interface ClientTerms {
  /** The name that it states; null if it has none. */
  readonly name: string | null
  /** Its redirect URIs. */
  readonly redirectUris: ReadonlyArray<string>
  /** The scope that it states; null if it states none. */
  readonly scope: string | null
  /** Its authentication method. */
  readonly method: string
  /** The URL of its keys, or the SHA-256 digest of its inline keys; null if it has none. */
  readonly keys: string | null
}

/** The client metadata document at the client's id, which is a URL. Nobody registered the client. */
export interface ClientDocument {
  /** The host of the URL, with its port if it names one: the only proved fact about the client. */
  readonly host: string
  /** The SHA-256 digest of its metadata. A code can be redeemed only by the version that it was issued to. */
  readonly digest: string
  /** The parts on which a consent is based. */
  readonly terms: ClientTerms
  /** True if the operator vouches for the host. */
  readonly isVerified: boolean
  /**
   * True if the client is under development: its document is hosted by a service for that, or on the machine of a provider that is itself
   * under development.
   */
  readonly isUnderDevelopment: boolean
  /** The time until which the copy is kept. */
  readonly keepUntil: Instant
}

/** A registered client, as the rules see it. It is built from {@link ClientMetadata} and contains no secret. */
export interface Client extends Members {
  /** The `client_id`. */
  readonly clientId: string
  /** The profile that applies to it; the provider's if undefined. */
  readonly profile?: string | undefined
  /** True if the client is refused everywhere. */
  readonly disabled: boolean
  /** The name shown to people; the `client_id` if there is none. */
  readonly clientName?: string | undefined
  /** The home page of the client. */
  readonly clientUri?: string | undefined
  /** The logo of the client. */
  readonly logoUri?: string | undefined
  /** The privacy policy of the client. */
  readonly policyUri?: string | undefined
  /** The terms of service of the client. */
  readonly tosUri?: string | undefined
  /** The application type. `native` allows loopback addresses and private schemes in redirect URIs (RFC 8252 §7). */
  readonly applicationType: "web" | "native"
  /** The client authentication method (RFC 7591 §2). */
  readonly tokenEndpointAuthMethod: string
  /** Accepted authentication methods: the one that its metadata states, or its secret in either form if it states none. */
  readonly authenticationMethods: ReadonlyArray<string>
  /** The only algorithm of its assertions; any that suits its method if undefined. */
  readonly tokenEndpointAuthSigningAlg?: string | undefined
  /** The required audience of its assertions: only the issuer, or also the URL of one of our endpoints. */
  readonly clientAssertionAudience: "issuer" | "any"
  /** The public keys of the client. */
  readonly keys: KeySource
  /** The grant types it may use. */
  readonly grantTypes: ReadonlyArray<string>
  /** The response types, in canonical word order: `code`, `code id_token`, … */
  readonly responseTypes: ReadonlyArray<string>
  /** The redirect URIs, compared byte for byte (RFC 6749 §3.1.2.3). */
  readonly redirectUris: ReadonlyArray<string>
  /** The redirect URIs after logout. */
  readonly postLogoutRedirectUris: ReadonlyArray<string>
  /** The scopes that this client may request. */
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
  /** True if the ID token has user claims even when an access token is issued too. */
  readonly idTokenUserClaims: boolean
  /** The encryption of its ID tokens; none when undefined. */
  readonly idTokenEncryption?: EncryptionChoice | undefined
  /** The algorithm that signs userinfo; undefined for plain JSON. */
  readonly userinfoSignedResponseAlg?: SigningAlgorithm | undefined
  /** The encryption of userinfo; none when undefined. */
  readonly userinfoEncryption?: EncryptionChoice | undefined
  /** The algorithm that signs introspections as JWTs (RFC 9701 §5). */
  readonly introspectionSignedResponseAlg: SigningAlgorithm
  /** The encryption of introspections as JWTs; none when undefined. */
  readonly introspectionEncryption?: EncryptionChoice | undefined
  /** The request objects it may send (RFC 9101). */
  readonly requestObjects: RequestObjectPolicy
  /** The subject type: `pairwise` gives each sector a subject of its own (OpenID Connect Core §8). */
  readonly subjectType: "public" | "pairwise"
  /** The URL of the document that defines its sector (OpenID Connect Core §8.1). */
  readonly sectorIdentifierUri?: string | undefined
  /** The default `acr_values` of its requests. */
  readonly defaultAcrValues: ReadonlyArray<string>
  /** Names of the identity providers at which its users may sign in. */
  readonly identityProviders: ReadonlyArray<string>
  /** True if its users may sign in with a password of this provider. */
  readonly allowLocalLogin: boolean
  /** The client's grants that sign-out revokes: none, those without `offline_access`, or all of the session. */
  readonly revokeOnLogout: "none" | "online" | "all"
  /** Policies of extension grants, by grant type. */
  readonly grantPolicies: Readonly<Record<string, Json>>
  /** The default `max_age` of its requests. */
  readonly defaultMaxAge?: Seconds | undefined
  /** The lifetimes of its tokens and codes. */
  readonly lifetimes: Lifetimes
  /** True if the port of its redirect URIs on `http://localhost` may vary, as on loopback addresses. Only for native clients. */
  readonly loopbackLocalhost?: boolean | undefined
  /** Set for a client that registered itself; undefined for one that an operator registered. */
  readonly selfRegistered?: SelfRegistration | undefined
  /** Set for a client with a client metadata document. */
  readonly document?: ClientDocument | undefined
}

/** Reports whether a client is public: it cannot keep a secret (RFC 6749 §2.1). */
export const isPublic = (client: Client): boolean => client.tokenEndpointAuthMethod === "none"

/** Reports whether a client gets no tokens and only introspects those for its resources: profiles do not say how it authenticates. */
export const isResourceServer = ({ grantTypes, introspectionResources }: Pick<Client, "grantTypes" | "introspectionResources">): boolean =>
  grantTypes.length === 0 && introspectionResources.length > 0
