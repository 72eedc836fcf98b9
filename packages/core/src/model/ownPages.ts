import type { Json, JsonObject } from "./json.ts"
import type { ConsentDetail } from "./details.ts"
import type { ClientFace, ConsentScope, PersonFace, ProviderChoice } from "./faces.ts"
import type { Trouble } from "./trouble.ts"
import type { ErrorCode } from "./refusal.ts"
import type { Instant } from "./time.ts"

/**
 * Pages of an embedder to which browsers are redirected instead of the built-in ones. They are paths of the issuer's origin, so that they
 * receive the browser's cookies.
 */
export interface InteractionRoutes {
  /** The sign-in page, instead of `/login`. */
  readonly signIn?: string | undefined
  /** The consent page, instead of `/consent`. */
  readonly consent?: string | undefined
  /** The page that asks for a device's code and confirms it, instead of `/device`. */
  readonly device?: string | undefined
  /** The page on which a person answers a backchannel request (CIBA Core §8), instead of `/approve`. */
  readonly approval?: string | undefined
}

/** The rule that asks for an interaction, or that refused one. */
export interface InteractionRule {
  /** The id of the rule. */
  readonly rule: string
  /** The paragraph of the specification that the rule enforces. */
  readonly cites: string
}

/** The rule that requires an interaction, with its reason. */
export interface InteractionReason extends InteractionRule {
  /** The reason, which contains no secret: `no session`, `prompt=login`. */
  readonly reason: string
}

/** The requirements on a sign-in. */
export interface SignInNeed {
  /** True if a person is already signed in, and must sign in again or with a stronger method. */
  readonly again: boolean
  /** Requested authentication context class references, in order of preference (OpenID Connect Core §3.1.2.1 acr_values). */
  readonly acrValues: ReadonlyArray<string>
  /** The essential authentication contexts, one of which must be satisfied (OpenID Connect Core §5.5.1.1); empty if none is essential. */
  readonly essentialAcr: ReadonlyArray<string>
  /** The authentication context of the session; undefined if nobody is signed in. */
  readonly acr?: string | undefined
  /**
   * The earliest acceptable `authTime`, if the request is answered now; undefined if any sign-in is recent enough (OpenID Connect Core
   * §3.1.2.1 prompt, max_age).
   */
  readonly notBefore?: Instant | undefined
  /** The username in the client's `login_hint`. */
  readonly loginHint?: string | undefined
  /**
   * The subject that the client requests; undefined for a pairwise client, which knows its people by other identifiers (OpenID Connect Core
   * §8.1).
   */
  readonly subject?: string | undefined
  /** True if the embedder may sign the person in; otherwise a sign-in at another provider is required. */
  readonly local: boolean
  /** Other providers at which the person may sign in, each with the form that leads there. */
  readonly providers: ReadonlyArray<ProviderChoice>
}

/** The consent that is required. */
export interface ConsentNeed {
  /** The scopes, and claims by name, to decide on. */
  readonly scopes: ReadonlyArray<ConsentScope>
  /** The authorization details to decide on (RFC 9396 §2); undefined if none are requested. */
  readonly details?: ReadonlyArray<ConsentDetail> | undefined
  /** The origin to which the browser will be redirected, or the scheme for a native client; undefined for a device. */
  readonly destination?: string | undefined
}

/** A device that waits for its person. */
export interface WaitingDeviceFace {
  /** The user code that it shows. */
  readonly userCode: string
}

/** A backchannel request that waits for its person (CIBA Core §8). */
export interface WaitingApproval {
  /** The text that the client also shows at its end, so that the person can compare the two; undefined if the client sent none. */
  readonly bindingMessage?: string | undefined
  /** The time of the client's request. */
  readonly askedAt: Instant
  /** Number of other requests that wait for this person: `/approve` leads to the next. */
  readonly others: number
}

/** A request that waits for a person, as `provider.interaction` returns it: plain JSON. */
export interface WaitingInteraction {
  /** The required step; `nothing` if the request can continue at `location`. */
  readonly need: "sign_in" | "consent" | "device" | "approval" | "nothing"
  /** The rule that requires it, with its reason; undefined if nothing is needed. */
  readonly why?: InteractionReason | undefined
  /** The handle of the request, valid only in this browser. */
  readonly interaction: string
  /**
   * The token that every answer must carry (RFC 6749 §10.12). It proves that the answer comes from this browser and session. For a client
   * that publishes its own metadata, it also identifies the version that the page shows.
   */
  readonly csrf: string
  /** The client that the request comes from; undefined if the person opened a page of the provider, such as the home page. */
  readonly client?: ClientFace | undefined
  /** The person who is signed in. */
  readonly person?: PersonFace | undefined
  /** The requested tenant. */
  readonly tenant?: string | undefined
  /** Present if a sign-in is needed. */
  readonly signIn?: SignInNeed | undefined
  /** Present if consent is needed, including for a device and a backchannel request. */
  readonly consent?: ConsentNeed | undefined
  /** The waiting device, identified by the code that it shows. */
  readonly device?: WaitingDeviceFace | undefined
  /** The waiting backchannel request. */
  readonly approval?: WaitingApproval | undefined
  /** The URL to continue at if nothing is needed, because the person has signed in in another tab or the client receives an error. */
  readonly location?: string | undefined
  /** The time at which the request expires. */
  readonly expiresAt: Instant
  /** Requested languages, in order of preference, as unvalidated BCP 47 tags. */
  readonly locales: ReadonlyArray<string>
  /** The id that a person can quote to the operator, and that identifies the trail. */
  readonly requestId: string
}

/** An interaction that was refused by a rule or by a failure. */
export interface RefusedInteraction {
  /** Distinguishes it from a waiting interaction. */
  readonly need: "refused"
  /** The matching HTTP status. */
  readonly status: number
  /** The reason for the person, if there is one: `interaction_expired`, for example. */
  readonly trouble?: Trouble | undefined
  /** The error code of the protocol. */
  readonly error: string
  /** A description that is safe to show. */
  readonly description: string
  /** The rule that refused; undefined for a failure. */
  readonly why?: InteractionRule | undefined
  /** The id that a person can quote to the operator, and that identifies the trail. */
  readonly requestId: string
}

/** The state of an interaction. */
export type InteractionState = WaitingInteraction | RefusedInteraction

/** A sign-in that an embedder has carried out. */
export interface OwnSignIn {
  /** The subject of the person; the authenticator must know it. */
  readonly subject: string
  /** The authentication methods used (RFC 8176); none by default. */
  readonly amr?: ReadonlyArray<string> | undefined
  /** The authentication context that was satisfied; the provider's default for a password by default. */
  readonly acr?: string | undefined
  /** The time of the sign-in, in seconds; now by default. For an existing session, the time at which it began. */
  readonly authTime?: Instant | undefined
}

/** Errors that an embedder may end a request with (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
export const answerErrors = [
  "access_denied",
  "login_required",
  "interaction_required",
  "account_selection_required",
  "consent_required",
  "unmet_authentication_requirements",
  "server_error",
  "temporarily_unavailable",
] as const satisfies ReadonlyArray<ErrorCode>

/** The person's answer, as the embedder's page obtained it: one of four kinds. */
export type InteractionAnswer = {
  /** The `csrf` token of `interaction`, as this browser sent it back. */
  readonly csrf: string
  /** The handle; the `interaction` query parameter of the request by default. */
  readonly interaction?: string | undefined
} & (Only<OwnSignInAnswer> | Only<OwnConsentAnswer> | Only<OwnDenialAnswer> | Only<OwnErrorAnswer>)

/** An answer without the members of the other kinds. */
type Only<Answer> = Answer & { readonly [Name in Exclude<"signIn" | "consent" | "deny" | "error", keyof Answer>]?: undefined }

/** The person signed in. */
export interface OwnSignInAnswer {
  /** The sign-in. */
  readonly signIn: OwnSignIn
}

/** The person allows the request. */
export interface OwnConsentAnswer {
  /** The consent. */
  readonly consent: {
    /**
     * The allowed subset of the requested scopes and claims. It includes all required ones, and all of them for a device or a backchannel
     * request.
     */
    readonly scopes: ReadonlyArray<string>
    /**
     * The allowed authorization details (RFC 9396 §2), each equal to a requested one or narrower. By default, only those are allowed whose
     * names are in `scopes`.
     */
    readonly details?: ReadonlyArray<JsonObject> | undefined
  }
}

/** The person denies the request (RFC 6749 §4.1.2.1 access_denied). */
export interface OwnDenialAnswer {
  /** True. */
  readonly deny: true
}

/** The request ends with an error. */
export interface OwnErrorAnswer {
  /** The error that the client receives. */
  readonly error: {
    /** Its code. */
    readonly error: (typeof answerErrors)[number]
    /** The description, 1 to 200 printable ASCII characters without `"` and `\\`; a standard text by default. */
    readonly description?: string | undefined
  }
}

/** Removes undefined members, as JSON serialization does. */
export const withoutUndefined = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, withoutUndefined(each)]])))
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}
