import type { Locator } from "./handle.ts"
import type { AccessToken, AuthorizationCode, Consent, Device, Grant, Interaction, RefreshToken, Session, Successor } from "./rows.ts"
import type { Instant } from "./time.ts"

/**
 * A change of state, as data. Each names its own guard; a set of commands is committed whole or not at all,
 * and one failed guard makes the whole set a conflict. Saving a locator that exists is a conflict.
 */
export type Command =
  | { readonly _tag: "SaveGrant"; readonly grant: Grant }
  /** Guard: the grant exists and is not revoked. Changes nothing. */
  | { readonly _tag: "RequireGrant"; readonly grantId: Locator }
  /**
   * Guard: the grant exists and is not revoked. Its `keepUntil` becomes the later of the two: a family without an absolute end goes on.
   * So does that of the grant whose child it is, and on upwards: each must be there to be revoked for as long as what came of it lives.
   */
  | { readonly _tag: "KeepGrant"; readonly grantId: Locator; readonly keepUntil: Instant }
  /**
   * No guard: revoking a revoked or unknown grant changes nothing. The first revocation's time stays. Here, and wherever else a grant is
   * revoked, the grants whose parent it is are revoked with it, and those whose parent they are.
   */
  | { readonly _tag: "RevokeGrant"; readonly grantId: Locator; readonly at: Instant }
  /** Revokes every grant of a person, narrowed to one client or one session where named. No guard. */
  | {
      readonly _tag: "RevokeGrants"
      readonly subject: string
      readonly clientId: string | undefined
      readonly sessionId: Locator | undefined
      readonly at: Instant
    }
  | { readonly _tag: "SaveCode"; readonly code: AuthorizationCode }
  /** Guard: the code exists and is unconsumed. Its `keepUntil` becomes the later of the two: a replay must find what it made. */
  | { readonly _tag: "ConsumeCode"; readonly locator: Locator; readonly at: Instant; readonly keepUntil: Instant }
  | { readonly _tag: "SaveAccessToken"; readonly token: AccessToken }
  /** No guard. */
  | { readonly _tag: "RevokeAccessToken"; readonly locator: Locator; readonly at: Instant }
  | { readonly _tag: "SaveRefreshToken"; readonly token: RefreshToken }
  /** Guard: the token exists and is not rotated. */
  | { readonly _tag: "RotateRefreshToken"; readonly locator: Locator; readonly at: Instant; readonly successor: Successor }
  | { readonly _tag: "SaveSession"; readonly session: Session }
  /** Guard: the session exists and has not ended. Changes nothing. */
  | { readonly _tag: "RequireSession"; readonly locator: Locator }
  /** Guard: the session exists and has not ended. */
  | {
      readonly _tag: "TouchSession"
      readonly locator: Locator
      readonly seenAt: Instant
      readonly expiresAt: Instant
      readonly keepUntil: Instant
    }
  /**
   * No guard: ending an ended or unknown session changes nothing. With `grants`, the grants of that session that end with it are revoked
   * too: a person signed out. Without, another sign-in took its place.
   */
  | { readonly _tag: "EndSession"; readonly locator: Locator; readonly at: Instant; readonly grants: boolean }
  | { readonly _tag: "SaveInteraction"; readonly interaction: Interaction }
  /** Guard: the stored version is the replacement's less one. */
  | { readonly _tag: "ReplaceInteraction"; readonly interaction: Interaction }
  /** Guard: neither the locator nor the user code is taken. */
  | { readonly _tag: "SaveDevice"; readonly device: Device }
  /** Guard: the stored version is the replacement's less one. */
  | { readonly _tag: "ReplaceDevice"; readonly device: Device }
  /** Counts one more under a key, from one again when its time is over. No guard. */
  | { readonly _tag: "CountAttempt"; readonly key: string; readonly at: Instant; readonly resetAt: Instant }
  /**
   * Reserves a try under a key before it is judged: counts one more, from one again when its time is over. Guard: fewer than `most` were
   * counted. The one that makes it `most` has the time end at `fullUntil`, where that is given.
   */
  | {
      readonly _tag: "ReserveAttempt"
      readonly key: string
      readonly at: Instant
      readonly most: number
      readonly resetAt: Instant
      readonly fullUntil: Instant | undefined
    }
  /** Takes one counted try back, unless the time it was counted for is over: then the count ends after `until`. No guard. */
  | { readonly _tag: "ReturnAttempt"; readonly key: string; readonly until: Instant }
  /** Forgets every try that was counted under a key. No guard. */
  | { readonly _tag: "ForgetAttempts"; readonly key: string }
  /** Uses something that may be used once until a moment: a `jti`. Guard: the key was not used, or its time is over; it is found as an attempt. */
  | { readonly _tag: "UseOnce"; readonly key: string; readonly at: Instant; readonly until: Instant }
  /** Guard: the stored consent was granted at `replaces`; undefined when there must be none. */
  | { readonly _tag: "SaveConsent"; readonly consent: Consent; readonly replaces: Instant | undefined }
  /** Guard: the stored consent is this one, moment and scope. Changes nothing. */
  | { readonly _tag: "RequireConsent"; readonly consent: Consent }
  /** No guard. */
  | { readonly _tag: "RemoveConsent"; readonly subject: string; readonly clientId: string }

/** What a commit came to: all of it durable, or none of it because a guard failed. */
export type CommitResult = "Committed" | "Conflict"
