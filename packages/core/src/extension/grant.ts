import type { Client, Confirmation, Instant, Json, JsonObject, JwkSet, Locator, Person, Seconds, Settings } from "../model/index.ts"
import type { Awaitable, JwtVerdict } from "../ports/index.ts"
import type { Fault } from "../rules/registrationFault.ts"
import type { ProvingTable } from "../rules/rule.ts"

/** The number of times a form parameter may come: once and always, once or not at all, or any number of times. */
export type ParameterUse = "required" | "optional" | "repeatable"

/** The form parameters a grant reads, by name. `scope` and `resource` are core's and not named here. */
export type GrantParameters = Readonly<Record<string, ParameterUse>>

/** The values of declared parameters. An empty value counts as none (RFC 6749 §3.2). */
export type ParameterValues<P extends GrantParameters> = {
  readonly [Name in keyof P]: P[Name] extends "required"
    ? string
    : P[Name] extends "repeatable"
      ? ReadonlyArray<string>
      : string | undefined
}

/** A token request as an extension grant sees it. */
export interface ExtensionRequest<P extends GrantParameters> {
  /** The parameters it declared. */
  readonly parameters: ParameterValues<P>
  /** The words of `scope`, each once; undefined when none was sent. Core has refused one that names nothing. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** Every `resource`, each once (RFC 8707 §2). Core has refused what is no absolute URI. */
  readonly resources: ReadonlyArray<string>
}

/** A client's policy, read, or its fault. The fault's path starts inside the policy. */
export type PolicyReading<Policy> =
  | {
      /** The policy, read; undefined where it has a fault. */
      readonly policy: Policy
      /** The fault of the policy; undefined where it has none. */
      readonly fault?: undefined
    }
  | {
      /** The policy, read; undefined where it has a fault. */
      readonly policy?: undefined
      /** The fault of the policy; undefined where it has none. */
      readonly fault: Fault
    }

/** The facts known of every request. */
export interface GrantContext<Policy> {
  /** The client that asks, authenticated, and allowed this grant_type. */
  readonly client: Client
  /** The client's own policy, read; undefined for a grant that has none. */
  readonly policy: Policy
  /** The provider's setup: its issuer, its scopes and resources. */
  readonly settings: Settings
  /** The URL of the token endpoint. */
  readonly tokenEndpoint: string
  /** The time the request came. */
  readonly now: Instant
  /** The key or certificate that the request has proved; its tokens are bound to it. */
  readonly confirmation: Confirmation | undefined
}

/** A token of ours that was presented, expired and revoked ones too: rules judge them. */
export interface OwnToken {
  /** The kind of token. */
  readonly kind: "access_token" | "id_token" | "refresh_token"
  /** The client it was issued to. */
  readonly clientId: string
  /** The `subject` of the person it stands for; undefined where it stands for none, or none that can be told. */
  readonly subject?: string | undefined
  /** Its `sub`: the person as its client knows them, or that client. */
  readonly sub: string
  /** Empty for an ID token. */
  readonly scope: ReadonlyArray<string>
  /** The audience it is meant for; of a refresh token, the resources that its access tokens can be for. */
  readonly audience: ReadonlyArray<string>
  /** The time it ends. */
  readonly expiresAt: Instant
  /** False when it, its grant or its session was ended, it was rotated, its client or its person is gone or disabled, or it is {@link OwnToken.unproved}. */
  readonly live: boolean
  /** True for a token that would be live, and is bound to a key or a certificate that this request has not proved (RFC 9449 §7.1, RFC 8705 §3). */
  readonly unproved: boolean
  /** The grant it belongs to; undefined for a token that a client got for itself. */
  readonly grantId?: Locator | undefined
  /** The session an ID token speaks of. */
  readonly sessionId?: Locator | undefined
  /** The claims it carries beyond the usual: `act`, `may_act`, claims of extension grants. */
  readonly claims: JsonObject
}

/** The keys of another issuer: stated, or published under an https URL. */
export type JwtKeys =
  | { /** The keys themselves. */ readonly jwks: JwkSet }
  | { /** The URL that publishes them. */ readonly jwksUri: string }

/** The lookups that `load` may make. Everything only reads. A rejection may be let through: it is answered `temporarily_unavailable`. */
export interface LoadContext<Policy> extends GrantContext<Policy> {
  /** The clients of the provider. */
  readonly clients: { /** Finds one by its identifier. */ readonly find: (clientId: string) => Promise<Client | undefined> }
  /** The people of the provider. */
  readonly people: {
    /** Finds one by its identifier. */
    readonly find: (subject: string) => Promise<Person | undefined>
    /** Finds one by what clients know of people: a username, an e-mail address, a telephone number. */
    readonly identify: (hint: string) => Promise<Person | undefined>
  }
  /** Reads an access token of ours, JWT or reference; undefined for anything else. */
  readonly accessToken: (value: string) => Promise<OwnToken | undefined>
  /** Reads an ID token of ours; undefined for anything else, and for an encrypted one. */
  readonly idToken: (value: string) => Promise<OwnToken | undefined>
  /** Reads a refresh token of ours; undefined for anything else. */
  readonly refreshToken: (value: string) => Promise<OwnToken | undefined>
  /** Verifies a JWT of another issuer, by one of the algorithms. Who it is from, whom it is for and when it ends is yours to judge. */
  readonly verifyJwt: (jwt: string, keys: JwtKeys, algorithms: ReadonlyArray<string>) => Promise<JwtVerdict>
  /** Reports whether an earlier request of this grant used a key up: see {@link ExtensionAnswer.useOnce}. */
  readonly usedBefore: (key: string) => Promise<boolean>
}

/** The value that rules begin with: the request, the context, and what was loaded. Each rule may establish more for those after it. */
export type GrantSeen<P extends GrantParameters, Policy, Seen> = ExtensionRequest<P> & GrantContext<Policy> & Seen

/** Something that may be used once, until a moment. */
export interface OneUse {
  /** The value that may be used once. */
  readonly key: string
  /** The time until which it is remembered. */
  readonly until: Instant
}

/** A sign-in, as an extension grant knows of it: what another issuer tells, or the grant's own (OpenID Connect Core §2). */
export interface ToldSignIn {
  /** The time the person signed in; undefined where nobody tells: the tokens then have no `auth_time`. */
  readonly authTime?: Instant | undefined
  /** The authentication context that was reached. */
  readonly acr?: string | undefined
  /** The methods the person signed in by (RFC 8176); none when left out. */
  readonly amr?: ReadonlyArray<string> | undefined
}

/**
 * The answer of an extension grant to a request. Core looks after the rest: the person must be active, every scope among the client's own,
 * every resource one that such a scope belongs to; then it makes the tokens, the rows and the answer.
 */
export interface ExtensionAnswer {
  /** The `subject` of the person the tokens stand for; left out for tokens of the client itself. */
  readonly subject?: string | undefined
  /**
   * The token of ours that this came from. What is issued is revoked with its grant, ends with its session where it speaks of one, and
   * tells of the same sign-in; no refresh token lasts longer than that grant's may. Only with a `subject`.
   */
  readonly dependsOn?: OwnToken | undefined
  /**
   * The sign-in that the tokens tell of (RFC 9068 §2.2.1): the one that an assertion states, or `{ authTime: now }` of a grant that has just signed the person in. When
   * left out, it is that of `dependsOn`; without either, the tokens tell of none. Only with a `subject`.
   */
  readonly signIn?: ToldSignIn | undefined
  /** The granted scopes; those asked for when left out, or else all that the client is explicitly allowed. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The resources the tokens are for; those asked for when left out, or else all that the scopes belong to. */
  readonly resources?: ReadonlyArray<string> | undefined
  /**
   * The authorization details that are granted (RFC 9396), each of a type that the client may use; an answer that names some may name no scope. None when left out. Only
   * with a `subject`.
   */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The party that acts for the subject (RFC 8693 §4.1). */
  readonly act?: JsonObject | undefined
  /**
   * Claims of your own for the access tokens. A reference token's are told at introspection; one of a client itself keeps none.
   * Giving one of core's own (`sub`, `scope`, …) is an error.
   */
  readonly claims?: JsonObject | undefined
  /** The longest life of the access tokens; the client's own when left out, or when that is shorter. */
  readonly lifetime?: Seconds | undefined
  /** The `issued_token_type` of the answer (RFC 8693 §2.2.1). */
  readonly issuedTokenType?: string | undefined
  /** True if a refresh token may be given: one is, when `offline_access` is granted and the client may use it. False when left out. */
  readonly refreshToken?: boolean | undefined
  /** The values that must not be used again. A request that names a used key is refused, however close they come. */
  readonly useOnce?: ReadonlyArray<OneUse> | undefined
}

/** An extension grant (RFC 6749 §4.5): plain values and functions, made known to core by `extensionGrant`. */
export interface ExtensionGrantDefinition<P extends GrantParameters, Seen extends object, Policy, Proved extends object> {
  /** The grant_type: an absolute URI, or a word of lower case letters, digits, `_` and `-`. Not one that is built in. */
  readonly name: string
  /** The form parameters it reads. Core refuses a missing one: `invalid_request`, "The X is missing." */
  readonly parameters: P
  /**
   * Picks the requests that it answers, where another grant of the provider has the same name: by their parameters, unjudged. The other one takes the rest.
   * Such a grant has no policy of clients. It answers every request of its name when left out.
   */
  readonly takes?: (parameters: ParameterValues<P>) => boolean
  /**
   * Reads the client's own policy: what its metadata has under `grant_policies` by this grant's name, undefined when it has nothing. A
   * fault is told when the client is registered.
   */
  readonly policy?: (stated: Json | undefined) => PolicyReading<Policy>
  /**
   * The `iss` of every JWT that it takes whatever its `typ`: a provider is refused that takes JWTs of the same issuer for another purpose, since nothing would tell
   * them apart (RFC 8725 §3.12). None when left out.
   */
  readonly issuers?: ReadonlyArray<string> | undefined
  /**
   * Its rules, in order. Each is pure: what it needs was loaded. The table's name, without what stands before its last slash, begins
   * the ids of the rules that core derives: `token/door_badge` gives `door-badge.badge-present`.
   */
  readonly rules: ProvingTable<GrantSeen<P, Policy, Seen>, Proved>
  /** Looks up what the rules need. It only reads, and may be asked again for the same request. */
  readonly load: (request: ExtensionRequest<P>, context: LoadContext<Policy>) => Awaitable<Seen>
  /** Makes the answer once every rule has passed, from all that was seen and established. Pure, and never at a loss: what it throws is a defect (500). */
  readonly grant: (seen: GrantSeen<P, Policy, Seen> & Proved) => ExtensionAnswer
}
