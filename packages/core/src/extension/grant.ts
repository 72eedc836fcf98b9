import type { Client, Confirmation, Instant, Json, JsonObject, JwkSet, Locator, Person, Seconds, Settings } from "../model/index.ts"
import type { Awaitable, JwtVerdict } from "../ports/index.ts"
import type { Fault } from "../rules/registrationFault.ts"
import type { ProvingTable } from "../rules/rule.ts"

/** The number of times that a form parameter may occur: exactly once, at most once, or any number of times. */
export type ParameterUse = "required" | "optional" | "repeatable"

/** The form parameters that a grant reads, by name. Core reads `scope` and `resource`, so they are not declared here. */
export type GrantParameters = Readonly<Record<string, ParameterUse>>

/** The values of declared parameters. An empty value counts as missing (RFC 6749 §3.2). */
export type ParameterValues<P extends GrantParameters> = {
  readonly [Name in keyof P]: P[Name] extends "required"
    ? string
    : P[Name] extends "repeatable"
      ? ReadonlyArray<string>
      : string | undefined
}

/** A token request as passed to an extension grant. */
export interface ExtensionRequest<P extends GrantParameters> {
  /** The parameters that the grant declared. */
  readonly parameters: ParameterValues<P>
  /** The distinct words of `scope`; undefined if it was not sent. Core has already refused a `scope` without words. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** Every distinct `resource` (RFC 8707 §2). Core has already refused any that is not an absolute URI. */
  readonly resources: ReadonlyArray<string>
}

/** A client's policy as parsed, or its fault. The path of a fault starts inside the policy. */
export type PolicyReading<Policy> =
  | {
      /** The parsed policy; undefined if it has a fault. */
      readonly policy: Policy
      /** The fault of the policy; undefined if it has none. */
      readonly fault?: undefined
    }
  | {
      /** The parsed policy; undefined if it has a fault. */
      readonly policy?: undefined
      /** The fault of the policy; undefined if it has none. */
      readonly fault: Fault
    }

/** The values that are known for every request. */
export interface GrantContext<Policy> {
  /** The authenticated client, which is allowed this grant_type. */
  readonly client: Client
  /** The client's own parsed policy; undefined for a grant without policies. */
  readonly policy: Policy
  /** The settings of the provider, such as its issuer, scopes and resources. */
  readonly settings: Settings
  /** The URL of the token endpoint. */
  readonly tokenEndpoint: string
  /** The time of the request. */
  readonly now: Instant
  /** The key or certificate that the request has proved, to which its tokens are bound. */
  readonly confirmation: Confirmation | undefined
}

/** A presented token of this provider. It may be expired or revoked, because the rules judge that. */
export interface OwnToken {
  /** The kind of token. */
  readonly kind: "access_token" | "id_token" | "refresh_token"
  /** The client to which it was issued. */
  readonly clientId: string
  /** The `subject` of the person whose token it is; undefined if it is no person's, or if the person cannot be determined. */
  readonly subject?: string | undefined
  /** Its `sub`: that of the person for the client, or that of the client itself. */
  readonly sub: string
  /** Empty for an ID token. */
  readonly scope: ReadonlyArray<string>
  /** Its audience; for a refresh token, the resources for which its access tokens can be issued. */
  readonly audience: ReadonlyArray<string>
  /** The time at which it expires. */
  readonly expiresAt: Instant
  /**
   * False if it, its grant or its session has ended, if it was rotated, if its client or its person was deleted or disabled, or if it is
   * {@link OwnToken.unproved}.
   */
  readonly live: boolean
  /** True if it would be live but is bound to a key or a certificate that this request has not proved (RFC 9449 §7.1, RFC 8705 §3). */
  readonly unproved: boolean
  /** The grant that it belongs to; undefined for a token that a client obtained for itself. */
  readonly grantId?: Locator | undefined
  /** The session that an ID token names. */
  readonly sessionId?: Locator | undefined
  /** Its claims beyond the standard ones: `act`, `may_act`, and claims of extension grants. */
  readonly claims: JsonObject
}

/** The keys of another issuer, given directly or published at an https URL. */
export type JwtKeys =
  | { /** The keys themselves. */ readonly jwks: JwkSet }
  | { /** The URL that publishes them. */ readonly jwksUri: string }

/** The lookups that `load` may make. All of them only read. A rejection need not be caught; it is answered `temporarily_unavailable`. */
export interface LoadContext<Policy> extends GrantContext<Policy> {
  /** The clients of the provider. */
  readonly clients: { /** Finds one by its identifier. */ readonly find: (clientId: string) => Promise<Client | undefined> }
  /** The people of the provider. */
  readonly people: {
    /** Finds a person by subject. */
    readonly find: (subject: string) => Promise<Person | undefined>
    /** Finds a person by an identifier that clients know: a username, an e-mail address, or a telephone number. */
    readonly identify: (hint: string) => Promise<Person | undefined>
  }
  /** Reads an access token of this provider, JWT or reference; undefined for anything else. */
  readonly accessToken: (value: string) => Promise<OwnToken | undefined>
  /** Reads an ID token of this provider; undefined for anything else, and for an encrypted one. */
  readonly idToken: (value: string) => Promise<OwnToken | undefined>
  /** Reads a refresh token of this provider; undefined for anything else. */
  readonly refreshToken: (value: string) => Promise<OwnToken | undefined>
  /**
   * Verifies the signature of a JWT of another issuer with one of the algorithms. The grant must judge its issuer, its audience and its
   * expiry.
   */
  readonly verifyJwt: (jwt: string, keys: JwtKeys, algorithms: ReadonlyArray<string>) => Promise<JwtVerdict>
  /** Reports whether an earlier request of this grant has used a key up: see {@link ExtensionAnswer.useOnce}. */
  readonly usedBefore: (key: string) => Promise<boolean>
}

/**
 * The value that the rules start with: the request, the context, and the loaded values. Each rule may establish more for the rules after
 * it.
 */
export type GrantSeen<P extends GrantParameters, Policy, Seen> = ExtensionRequest<P> & GrantContext<Policy> & Seen

/** A value that may be used once until a given time. */
export interface OneUse {
  /** The value that may be used once. */
  readonly key: string
  /** The time until which it is remembered. */
  readonly until: Instant
}

/** A sign-in that an extension grant reports: one that another issuer states, or the grant's own (OpenID Connect Core §2). */
export interface ToldSignIn {
  /** The time at which the person signed in; undefined if it is not known, in which case the tokens have no `auth_time`. */
  readonly authTime?: Instant | undefined
  /** The authentication context that was reached. */
  readonly acr?: string | undefined
  /** The methods by which the person signed in (RFC 8176). Default: none. */
  readonly amr?: ReadonlyArray<string> | undefined
}

/**
 * The answer of an extension grant to a request. Core enforces the rest: the person must be active, the client must have every scope, and
 * every resource must be one to which such a scope belongs. Core then makes the tokens, the rows and the response.
 */
export interface ExtensionAnswer {
  /** The `subject` of the person for whom the tokens are issued; omitted for tokens of the client itself. */
  readonly subject?: string | undefined
  /**
   * The token of this provider from which the new tokens are derived. They are revoked with its grant, end with its session if it names
   * one, and report the same sign-in. No refresh token lasts longer than that grant's may. Only with a `subject`.
   */
  readonly dependsOn?: OwnToken | undefined
  /**
   * The sign-in that the tokens report (RFC 9068 §2.2.1): the one that an assertion states, or `{ authTime: now }` for a grant that has
   * just signed the person in. Default: that of `dependsOn`; without either, the tokens report none. Only with a `subject`.
   */
  readonly signIn?: ToldSignIn | undefined
  /** The granted scopes. Default: the requested ones, or otherwise all that the client is explicitly allowed. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The resources that the tokens are for. Default: the requested ones, or otherwise all to which the scopes belong. */
  readonly resources?: ReadonlyArray<string> | undefined
  /**
   * The granted authorization details (RFC 9396), each of a type that the client may use. An answer with details may have no scope.
   * Default: none. Only with a `subject`.
   */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The party that acts for the subject (RFC 8693 §4.1). */
  readonly act?: JsonObject | undefined
  /**
   * Additional claims for the access tokens. Those of a reference token are returned at introspection; a reference token of the client
   * itself does not keep them. A claim that core sets itself (`sub`, `scope`, …) is an error.
   */
  readonly claims?: JsonObject | undefined
  /** The longest lifetime of the access tokens. Default: the client's own lifetime, which also applies if it is shorter. */
  readonly lifetime?: Seconds | undefined
  /** The `issued_token_type` of the response (RFC 8693 §2.2.1). */
  readonly issuedTokenType?: string | undefined
  /**
   * True if a refresh token may be issued. One is issued if `offline_access` is granted and the client may use refresh tokens. Default:
   * false.
   */
  readonly refreshToken?: boolean | undefined
  /** The values that must not be used again. A request with a used key is refused, even if two requests are concurrent. */
  readonly useOnce?: ReadonlyArray<OneUse> | undefined
}

/** An extension grant (RFC 6749 §4.5), made of plain values and functions. `extensionGrant` makes it known to core. */
export interface ExtensionGrantDefinition<P extends GrantParameters, Seen extends object, Policy, Proved extends object> {
  /** The grant_type: an absolute URI, or a word of lower case letters, digits, `_` and `-`. It must not be a built-in one. */
  readonly name: string
  /** The form parameters that it reads. Core refuses a missing required one: `invalid_request`, "The X is missing." */
  readonly parameters: P
  /**
   * Selects the requests that it answers by their unjudged parameters, if another grant of the provider has the same name and takes the
   * rest. Such a grant has no client policies. By default it answers every request of its name.
   */
  readonly takes?: (parameters: ParameterValues<P>) => boolean
  /**
   * Parses the client's own policy: the value under this grant's name in the `grant_policies` of its metadata, or undefined if there is
   * none. A fault is reported when the client is registered.
   */
  readonly policy?: (stated: Json | undefined) => PolicyReading<Policy>
  /**
   * The `iss` of every JWT that it accepts with any `typ`. A provider that accepts JWTs of the same issuer for another purpose is refused,
   * because the JWTs could not be distinguished (RFC 8725 §3.12). Default: none.
   */
  readonly issuers?: ReadonlyArray<string> | undefined
  /**
   * Its rules, in order. Each is pure, because the values that it needs were loaded. The table's name after its last slash is the prefix of
   * the ids of the rules that core derives: `token/door_badge` gives `door-badge.badge-present`.
   */
  readonly rules: ProvingTable<GrantSeen<P, Policy, Seen>, Proved>
  /** Loads the values that the rules need. It only reads, and may be called again for the same request. */
  readonly load: (request: ExtensionRequest<P>, context: LoadContext<Policy>) => Awaitable<Seen>
  /**
   * Makes the answer after every rule has passed, from the loaded and established values. It is pure, and any exception is a defect (500).
   */
  readonly grant: (seen: GrantSeen<P, Policy, Seen> & Proved) => ExtensionAnswer
}
