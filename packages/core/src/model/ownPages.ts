import type { Json, JsonObject } from "./json.ts"
import type { ConsentDetail } from "./details.ts"
import type { ClientFace, ConsentScope, PersonFace, ProviderChoice } from "./faces.ts"
import type { Trouble } from "./trouble.ts"
import type { ErrorCode } from "./refusal.ts"
import type { Instant } from "./time.ts"

/** Pages of an embedder's own to which browsers are sent in place of ours: paths of the issuer's origin, where the browser's cookies are. */
export interface InteractionRoutes {
  /** The page a person signs in on, in place of `/login`. */
  readonly signIn?: string | undefined
  /** The page that asks for consent, in place of `/consent`. */
  readonly consent?: string | undefined
  /** The page that asks for a device's code and confirms it, in place of what `/device` shows. */
  readonly device?: string | undefined
  /** The page on which a person answers a backchannel request (CIBA Core §8), in place of what `/approve` shows. */
  readonly approval?: string | undefined
}

/** The rule that asks for an interaction, or that refused one. */
export interface InteractionRule {
  /** The id of the rule. */
  readonly rule: string
  /** The paragraph that the rule comes from. */
  readonly cites: string
}

/** The rule that asks for an interaction, and why. */
export interface InteractionReason extends InteractionRule {
  /** The reason, without a secret: `no session`, `prompt=login`. */
  readonly reason: string
}

/** The requirements on a sign-in. */
export interface SignInNeed {
  /** True if somebody is signed in already, and must sign in again or better. */
  readonly again: boolean
  /** Authentication contexts asked for, best first (OpenID Connect Core §3.1.2.1 acr_values). */
  readonly acrValues: ReadonlyArray<string>
  /** Those of which one must be reached (OpenID Connect Core §5.5.1.1); empty where none is essential. */
  readonly essentialAcr: ReadonlyArray<string>
  /** The context that the session has reached; undefined where nobody is signed in. */
  readonly acr?: string | undefined
  /** The earliest `authTime` that will do, if it is answered now; undefined where any sign-in does (OpenID Connect Core §3.1.2.1 prompt, max_age). */
  readonly notBefore?: Instant | undefined
  /** The username that the client hints at. */
  readonly loginHint?: string | undefined
  /** The subject whom the client asks for; undefined for a pairwise client, which knows its people by other names (OpenID Connect Core §8.1). */
  readonly subject?: string | undefined
  /** True if a sign-in of the embedder's own will do; else one at another provider is needed. */
  readonly local: boolean
  /** Other providers at which the person may sign in, each with the form that goes there. */
  readonly providers: ReadonlyArray<ProviderChoice>
}

/** The decision that a consent is about. */
export interface ConsentNeed {
  /** The scopes, and claims by name, to decide on. */
  readonly scopes: ReadonlyArray<ConsentScope>
  /** The authorization details to decide on (RFC 9396 §2); undefined where none are asked for. */
  readonly details?: ReadonlyArray<ConsentDetail> | undefined
  /** The place the browser will go to: its origin, or its scheme for a native client; undefined for a device. */
  readonly destination?: string | undefined
}

/** A device that waits for its person. */
export interface WaitingDeviceFace {
  /** The code that it shows. */
  readonly userCode: string
}

/** A backchannel request that waits for its person (CIBA Core §8). */
export interface WaitingApproval {
  /** The text that the client shows where the person was asked for; they compare the two. Undefined where it sent none. */
  readonly bindingMessage?: string | undefined
  /** The time at which the client asked. */
  readonly askedAt: Instant
  /** Number of other requests that wait for the person: `/approve` leads to the next. */
  readonly others: number
}

/** A request that waits for a person, as `provider.interaction` tells it: plain JSON. */
export interface WaitingInteraction {
  /** `nothing` where the request can go on by itself, at `location`. */
  readonly need: "sign_in" | "consent" | "device" | "approval" | "nothing"
  /** The rule that asks for it, and its reason; undefined where nothing is needed. */
  readonly why?: InteractionReason | undefined
  /** The handle of the request, good in this browser alone. */
  readonly interaction: string
  /** The token that every answer must carry (RFC 6749 §10.12): it proves that the answer comes from this browser and session, and of a client that publishes its own metadata, which version of it the page shows. */
  readonly csrf: string
  /** The client that the request comes from. */
  readonly client: ClientFace
  /** The person who is signed in. */
  readonly person?: PersonFace | undefined
  /** The tenant that is asked for. */
  readonly tenant?: string | undefined
  /** Set where a sign-in is needed. */
  readonly signIn?: SignInNeed | undefined
  /** Set where consent is needed, for a device and a backchannel request too. */
  readonly consent?: ConsentNeed | undefined
  /** The device that waits, by the code that it shows. */
  readonly device?: WaitingDeviceFace | undefined
  /** The backchannel request that waits. */
  readonly approval?: WaitingApproval | undefined
  /** The address at which the browser goes on by itself, where nothing is needed: somebody signed in in another tab, or the client is told an error. */
  readonly location?: string | undefined
  /** The time at which the request ends. */
  readonly expiresAt: Instant
  /** Languages wanted, best first, as unchecked BCP 47 tags. */
  readonly locales: ReadonlyArray<string>
  /** The id a person quotes to the operator; the key of the trail. */
  readonly requestId: string
}

/** An interaction that is refused: by a rule, or because something failed. */
export interface RefusedInteraction {
  /** Tells it from one that waits. */
  readonly need: "refused"
  /** The HTTP status that fits it. */
  readonly status: number
  /** The reason in words for people, where there is one: `interaction_expired`, for example. */
  readonly trouble?: Trouble | undefined
  /** The error code of the protocol. */
  readonly error: string
  /** Safe to show. */
  readonly description: string
  /** The rule that refused; undefined where something failed. */
  readonly why?: InteractionRule | undefined
  /** The id a person quotes to the operator; the key of the trail. */
  readonly requestId: string
}

/** The state of an interaction. */
export type InteractionState = WaitingInteraction | RefusedInteraction

/** A sign-in that an embedder has carried out. */
export interface OwnSignIn {
  /** The subject of the person; the authenticator must know it. */
  readonly subject: string
  /** The methods used (RFC 8176); none when not given. */
  readonly amr?: ReadonlyArray<string> | undefined
  /** The authentication context reached; the provider's default for a password when not given. */
  readonly acr?: string | undefined
  /** The time of the sign-in, in seconds; now when not given. Of an existing session: the time it was begun. */
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

/** The person's answer, as the embedder's page obtained it: one of four. */
export type InteractionAnswer = {
  /** The token of `interaction`, as this browser sent it back. */
  readonly csrf: string
  /** The handle; that of the request's query, `?interaction=`, when not given. */
  readonly interaction?: string | undefined
} & (OwnSignInAnswer | OwnConsentAnswer | OwnDenialAnswer | OwnErrorAnswer)

/** The person signed in. */
export interface OwnSignInAnswer {
  /** The sign-in. */
  readonly signIn: OwnSignIn
}

/** The person allows it. */
export interface OwnConsentAnswer {
  /** The consent. */
  readonly consent: {
    /** The scopes and claims that stay allowed, of those that were asked for: all that are required, and for a device or a backchannel request all of them. */
    readonly scopes: ReadonlyArray<string>
    /**
     * The authorization details that are allowed (RFC 9396 §2): each one that was asked for, or narrower. None when not given, but for those that `scopes` has
     * by their names.
     */
    readonly details?: ReadonlyArray<JsonObject> | undefined
  }
}

/** The person does not allow it (RFC 6749 §4.1.2.1 access_denied). */
export interface OwnDenialAnswer {
  /** True. */
  readonly deny: true
}

/** The request ends with an error. */
export interface OwnErrorAnswer {
  /** The error that the client is told. */
  readonly error: {
    /** Its code. */
    readonly error: (typeof answerErrors)[number]
    /** 1 to 200 printable ASCII characters without `"` and `\\`; words of our own when not given. */
    readonly description?: string | undefined
  }
}

/** Leaves out members without a value, as JSON has it. */
export const withoutUndefined = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, withoutUndefined(each)]])))
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}
