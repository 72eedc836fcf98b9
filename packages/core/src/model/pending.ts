import type { Locator } from "./handle.ts"
import type { ErrorCode } from "./refusal.ts"
import type { Instant, Seconds } from "./time.ts"
import type { LoginProblem } from "./trouble.ts"

/** A row that waits for a browser to come. */
interface Kept {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time it was answered; undefined while it waits. */
  readonly finishedAt?: Instant | undefined
  /** Counts the changes; a replacement names the version it read. */
  readonly version: number
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A row that waits for a browser to come back, and for no other. */
export interface Pending extends Kept {
  /** Digest of the browser cookie's secret. */
  readonly browser: string
}

/** The part of a row that waits for a person to sign in. */
interface AwaitingSignIn extends Pending {
  /** The client it was made for. */
  readonly clientId: string
  /** Set when the person signed in through this very interaction. */
  readonly signedInAt?: Instant | undefined
  /** The person who signed in or answered the consent page; their answer counts for them alone. */
  readonly subject?: string | undefined
  /** The session of that sign-in, sealed under what its browser alone holds: the same form sent twice signs its person in once. */
  readonly session?: SealedHandle | undefined
  /** The other provider at which a sign-in has failed for it. */
  readonly failedProvider?: string | undefined
}

/** The outcome of an authorization request: the one there is, however often it is asked for (RFC 6749 §4.1.2). */
export type AuthorizationAnswer =
  | {
      /** Something was granted. */
      readonly outcome: "granted"
      /** The person who got it. */
      readonly subject: string
      /** The code, sealed under what its browser alone holds; undefined where tokens went with it, which are sent once. */
      readonly code?: SealedHandle | undefined
    }
  | {
      /** The client was told an error. */
      readonly outcome: "refused"
      /** The error. */
      readonly error: ErrorCode
      /** Its description. */
      readonly description: string
    }

/** An authorization request that waits for a person. */
export interface PendingAuthorization extends AwaitingSignIn {
  /** Tells the kinds of waiting rows apart. */
  readonly kind: "authorization"
  /** The request's parameters, in order, as they came. */
  readonly params: ReadonlyArray<readonly [string, string]>
  /** The person whom its `id_token_hint` named. */
  readonly hint?: string | undefined
  /** The scopes allowed on this interaction's consent page. */
  readonly consented?: ReadonlyArray<string> | undefined
  /** True if the person refused. */
  readonly denied: boolean
  /** The pushed request that it came by, which is used up with it. */
  readonly pushed?: Locator | undefined
  /** Its outcome, once it is finished. */
  readonly answer?: AuthorizationAnswer | undefined
}

/** A device's code whose person must sign in first (RFC 8628 §3.3). */
export interface PendingDevice extends AwaitingSignIn {
  /** Tells the kinds of waiting rows apart. */
  readonly kind: "device"
  /** The user code, as it is shown. */
  readonly userCode: string
}

/** A page of the provider whose visitor must sign in first. */
export interface PendingVisit extends AwaitingSignIn {
  /** Tells the kinds of waiting rows apart. */
  readonly kind: "visit"
  /** The path of the page below the issuer's, with its query: made by the provider, never by a request. */
  readonly path: string
  /** The `acr_values` that a sign-in for it is asked for, as they came; undefined for none. */
  readonly acrValues?: string | undefined
}

/** A sign-in that was begun at another provider. */
export interface PendingUpstream extends Pending {
  /** Tells the kinds of waiting rows apart. */
  readonly kind: "upstream"
  /** The name of the provider. */
  readonly provider: string
  /** The longest time in seconds since the sign-in there, where one was asked for. */
  readonly maxAge?: Seconds | undefined
  /** The row that waits for this sign-in; undefined for a sign-in by itself. */
  readonly waiting?: SealedHandle | undefined
  /** The time at which a request began to redeem the provider's answer, which can be redeemed once; undefined while none does. */
  readonly claimedAt?: Instant | undefined
  /** Its outcome, once it is finished. */
  readonly result?: UpstreamResult | undefined
}

/** The outcome of a sign-in at another provider: the one there is, however often its answer comes. */
export type UpstreamResult =
  | {
      /** The person was signed in. */
      readonly outcome: "signed in"
      /** Their session, sealed under what the browser alone holds: the handle of the request that waits, or else the `state`. */
      readonly session: SealedHandle | undefined
    }
  | {
      /** The person was sent back to the sign-in page. */
      readonly outcome: "refused"
      /** The reason that the page gives. */
      readonly problem: LoginProblem
    }

/** A handle that is kept in a row: opened by the secret that it is sealed under alone. */
export interface SealedHandle {
  /** The key of the row that it stands for. */
  readonly locator: Locator
  /** Its secret, under a pad of another one (43 characters of base64url). */
  readonly sealed: string
}

/** An authorization request that its client has pushed (RFC 9126 §2.2). It waits for any browser to come with its `request_uri`. */
export interface PushedRequest extends Kept {
  /** Tells the kinds of waiting rows apart. */
  readonly kind: "pushed"
  /** The client that pushed it: no other may use it (RFC 9126 §2.2). */
  readonly clientId: string
  /** The request's parameters, in order, as they came. */
  readonly params: ReadonlyArray<readonly [string, string]>
  /** The person whom its `id_token_hint` named. */
  readonly hint?: string | undefined
  /** The waiting request with which it was used up; undefined while it is unused, or where nobody had to be asked. */
  readonly usedBy?: Locator | undefined
}

/** A row that a page is shown for. */
export type WaitingRequest = PendingAuthorization | PendingDevice | PendingVisit

/** Every row that waits for a browser, by its `kind`. */
export type Interaction = WaitingRequest | PendingUpstream | PushedRequest
