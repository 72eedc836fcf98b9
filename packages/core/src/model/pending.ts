import type { Locator } from "./handle.ts"
import type { ErrorCode } from "./refusal.ts"
import type { Instant, Seconds } from "./time.ts"
import type { LoginProblem } from "./trouble.ts"

/** A row that waits for a browser. */
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
  /** Counts the changes; a replacement states the version it read. */
  readonly version: number
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A row that waits for one particular browser to return. */
export interface Pending extends Kept {
  /** Digest of the browser cookie's secret. */
  readonly browser: string
}

/** The part of a row that waits for a person to sign in. */
interface AwaitingSignIn extends Pending {
  /** Set if the person signed in during this interaction. */
  readonly signedInAt?: Instant | undefined
  /** The person who signed in or answered the consent page; the answer is valid for this person only. */
  readonly subject?: string | undefined
  /**
   * The session of that sign-in, encrypted with a secret that only its browser holds, so that submitting the same form twice signs the
   * person in once.
   */
  readonly session?: SealedHandle | undefined
  /** The other provider at which a sign-in for this request has failed. */
  readonly failedProvider?: string | undefined
}

/** The outcome of an authorization request, which stays the same however often it is requested (RFC 6749 §4.1.2). */
export type AuthorizationAnswer =
  | {
      /** Access was granted. */
      readonly outcome: "granted"
      /** The person who granted it. */
      readonly subject: string
      /**
       * The code, encrypted with a secret that only its browser holds; undefined if tokens were sent with it, because those are sent only
       * once.
       */
      readonly code?: SealedHandle | undefined
    }
  | {
      /** The client received an error. */
      readonly outcome: "refused"
      /** The error. */
      readonly error: ErrorCode
      /** Its description. */
      readonly description: string
    }

/** An authorization request that waits for a person. */
export interface PendingAuthorization extends AwaitingSignIn {
  /** Distinguishes the kinds of waiting rows. */
  readonly kind: "authorization"
  /** The client it was made for. */
  readonly clientId: string
  /** The parameters of the request, in their original order and form. */
  readonly params: ReadonlyArray<readonly [string, string]>
  /** The person identified by its `id_token_hint`. */
  readonly hint?: string | undefined
  /** The scopes allowed on this interaction's consent page. */
  readonly consented?: ReadonlyArray<string> | undefined
  /** True if the person refused. */
  readonly denied: boolean
  /** The pushed request that it came from, which is used up with it. */
  readonly pushed?: Locator | undefined
  /** Its outcome, once it is finished. */
  readonly answer?: AuthorizationAnswer | undefined
}

/** A device's code whose person must sign in first (RFC 8628 §3.3). */
export interface PendingDevice extends AwaitingSignIn {
  /** Distinguishes the kinds of waiting rows. */
  readonly kind: "device"
  /** The client it was made for. */
  readonly clientId: string
  /** The user code, as it is shown. */
  readonly userCode: string
}

/** A page of the provider whose visitor must sign in first. */
export interface PendingVisit extends AwaitingSignIn {
  /** Distinguishes the kinds of waiting rows. */
  readonly kind: "visit"
  /** The client about which the page asks; undefined for a page that concerns none, such as the home page. */
  readonly clientId?: string | undefined
  /** The path of the page below the issuer's path, with its query. The provider creates it; it never comes from a request. */
  readonly path: string
  /** The `acr_values` of a sign-in for this page, as received; undefined if there are none. */
  readonly acrValues?: string | undefined
}

/** A sign-in that began at another provider. */
export interface PendingUpstream extends Pending {
  /** Distinguishes the kinds of waiting rows. */
  readonly kind: "upstream"
  /** The name of the provider. */
  readonly provider: string
  /** The maximum number of seconds since the sign-in there, if one was requested. */
  readonly maxAge?: Seconds | undefined
  /** The row that waits for this sign-in; undefined for a sign-in by itself. */
  readonly waiting?: SealedHandle | undefined
  /**
   * The time at which a request began to exchange the provider's authorization response, which is possible only once; undefined if none
   * has.
   */
  readonly claimedAt?: Instant | undefined
  /** Its outcome, once it is finished. */
  readonly result?: UpstreamResult | undefined
}

/** The outcome of a sign-in at another provider, which stays the same however often its response arrives. */
export type UpstreamResult =
  | {
      /** The person was signed in. */
      readonly outcome: "signed in"
      /** The session, encrypted with a secret that only the browser holds: the handle of the waiting request, or otherwise the `state`. */
      readonly session: SealedHandle | undefined
    }
  | {
      /** The person was sent back to the sign-in page. */
      readonly outcome: "refused"
      /** The reason that the page shows. */
      readonly problem: LoginProblem
    }

/** A handle stored in a row, which only the secret that encrypts it can open. */
export interface SealedHandle {
  /** The key of the row that it refers to. */
  readonly locator: Locator
  /** Its secret, encrypted with a pad derived from another one (43 characters of base64url). */
  readonly sealed: string
}

/** An authorization request that a client has pushed (RFC 9126 §2.2). It waits for any browser that brings its `request_uri`. */
export interface PushedRequest extends Kept {
  /** Distinguishes the kinds of waiting rows. */
  readonly kind: "pushed"
  /** The client that pushed it: no other may use it (RFC 9126 §2.2). */
  readonly clientId: string
  /** The parameters of the request, in their original order and form. */
  readonly params: ReadonlyArray<readonly [string, string]>
  /** The person identified by its `id_token_hint`. */
  readonly hint?: string | undefined
  /** The waiting request that used it up; undefined if it is unused, or if no person had to be asked. */
  readonly usedBy?: Locator | undefined
}

/** A waiting row for which a page is shown. */
export type WaitingRequest = PendingAuthorization | PendingDevice | PendingVisit

/** Every row that waits for a browser, by its `kind`. */
export type Interaction = WaitingRequest | PendingUpstream | PushedRequest
