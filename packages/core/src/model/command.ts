import type { Locator } from "./handle.ts"
import type { AccessToken, AuthorizationCode, Consent, Device, Grant, Interaction, RefreshToken, Session, Successor } from "./rows.ts"
import type { Instant } from "./time.ts"

/**
 * A change of state, as data. Each names its own guard; a set of commands is committed whole or not at all,
 * and one failed guard makes the whole set a conflict. Saving a locator that exists is a conflict.
 */
export type Command =
  | { /** Saves a new grant. */ readonly _tag: "SaveGrant"; /** The grant to save. */ readonly grant: Grant }
  /** Guard: the grant exists and is not revoked. Changes nothing. */
  | { /** Requires a live grant. */ readonly _tag: "RequireGrant"; /** The grant that must live. */ readonly grantId: Locator }
  /**
   * Guard: the grant exists and is not revoked. Its `keepUntil` becomes the later of the two: a family without an absolute end goes on.
   * So does that of the grant whose child it is, and on upwards: each must be there to be revoked for as long as what came of it lives.
   */
  | {
      /** Keeps a grant for longer. */
      readonly _tag: "KeepGrant"
      /** The grant to keep. */
      readonly grantId: Locator
      /** The earliest time its row may be swept. */
      readonly keepUntil: Instant
    }
  /**
   * No guard: revoking a revoked or unknown grant changes nothing. The first revocation's time stays. Here, and wherever else a grant is
   * revoked, the grants whose parent it is are revoked with it, and those whose parent they are.
   */
  | {
      /** Revokes a grant. */
      readonly _tag: "RevokeGrant"
      /** The grant to revoke. */
      readonly grantId: Locator
      /** The time of the revocation. */
      readonly at: Instant
    }
  /** Revokes every grant of a person, narrowed to one client or one session where named. No guard. */
  | {
      /** Revokes the grants of a person. */
      readonly _tag: "RevokeGrants"
      /** The person whose grants end. */
      readonly subject: string
      /** Narrows it to one client. */
      readonly clientId: string | undefined
      /** Narrows it to one session. */
      readonly sessionId: Locator | undefined
      /** The time of the revocation. */
      readonly at: Instant
    }
  | { /** Saves a new authorization code. */ readonly _tag: "SaveCode"; /** The code to save. */ readonly code: AuthorizationCode }
  /** Guard: the code exists and is unconsumed. Its `keepUntil` becomes the later of the two: a replay must find what it made. */
  | {
      /** Consumes an authorization code. */
      readonly _tag: "ConsumeCode"
      /** The code to consume. */
      readonly locator: Locator
      /** The time it was redeemed. */
      readonly at: Instant
      /** The earliest time its row may be swept. */
      readonly keepUntil: Instant
    }
  | { /** Saves a new reference access token. */ readonly _tag: "SaveAccessToken"; /** The token to save. */ readonly token: AccessToken }
  /** No guard. */
  | {
      /** Revokes one reference access token. */
      readonly _tag: "RevokeAccessToken"
      /** The token to revoke. */
      readonly locator: Locator
      /** The time of the revocation. */
      readonly at: Instant
    }
  | { /** Saves a new refresh token. */ readonly _tag: "SaveRefreshToken"; /** The token to save. */ readonly token: RefreshToken }
  /** Guard: the token exists and is not rotated. */
  | {
      /** Marks a refresh token as rotated. */
      readonly _tag: "RotateRefreshToken"
      /** The token that was used. */
      readonly locator: Locator
      /** The time it was used. */
      readonly at: Instant
      /** The token that takes its place. */
      readonly successor: Successor
    }
  | { /** Saves a new session. */ readonly _tag: "SaveSession"; /** The session to save. */ readonly session: Session }
  /** Guard: the session exists and has not ended. Changes nothing. */
  | {
      /** Requires a session that has not ended. */
      readonly _tag: "RequireSession"
      /** The session that must last. */
      readonly locator: Locator
    }
  /** Guard: the session exists and has not ended. */
  | {
      /** Prolongs a session. */
      readonly _tag: "TouchSession"
      /** The session that was used. */
      readonly locator: Locator
      /** The time it was used. */
      readonly seenAt: Instant
      /** Its new end. */
      readonly expiresAt: Instant
      /** The earliest time its row may be swept. */
      readonly keepUntil: Instant
    }
  /**
   * No guard: ending an ended or unknown session changes nothing. With `grants`, the grants of that session that end with it are revoked
   * too: a person signed out. Without, another sign-in took its place.
   */
  | {
      /** Ends a session. */
      readonly _tag: "EndSession"
      /** The session to end. */
      readonly locator: Locator
      /** The time it ended. */
      readonly at: Instant
      /** True if its grants end too. */
      readonly grants: boolean
    }
  | { /** Saves a new interaction. */ readonly _tag: "SaveInteraction"; /** The interaction to save. */ readonly interaction: Interaction }
  /** Guard: the stored version is the replacement's less one. */
  | {
      /** Replaces an interaction by its next version. */
      readonly _tag: "ReplaceInteraction"
      /** The next version. */
      readonly interaction: Interaction
    }
  /** Guard: neither the locator nor the user code is taken. */
  | {
      /** Saves a new device authorization. */
      readonly _tag: "SaveDevice"
      /** The device authorization to save. */
      readonly device: Device
    }
  /** Guard: the stored version is the replacement's less one. */
  | {
      /** Replaces a device authorization by its next version. */
      readonly _tag: "ReplaceDevice"
      /** The next version. */
      readonly device: Device
    }
  /** Counts one more under a key, from one again when its time is over. No guard. */
  | {
      /** Counts a failed attempt. */
      readonly _tag: "CountAttempt"
      /** The key attempts are counted under. */
      readonly key: string
      /** The time of the attempt. */
      readonly at: Instant
      /** The time a new count forgets its attempts. */
      readonly resetAt: Instant
    }
  /**
   * Reserves a try under a key before it is judged: counts one more, from one again when its time is over. Guard: fewer than `most` were
   * counted. The one that makes it `most` has the time end at `fullUntil`, where that is given.
   */
  | {
      /** Takes one of the attempts that are left. */
      readonly _tag: "ReserveAttempt"
      /** The key attempts are counted under. */
      readonly key: string
      /** The time of the attempt. */
      readonly at: Instant
      /** The attempts there are. */
      readonly most: number
      /** The time a new count forgets its attempts. */
      readonly resetAt: Instant
      /** The time until which a count that is now full is kept; unchanged when undefined. */
      readonly fullUntil: Instant | undefined
    }
  /** Takes one counted try back, unless the time it was counted for is over: then the count ends after `until`. No guard. */
  | {
      /** Gives an attempt back. */
      readonly _tag: "ReturnAttempt"
      /** The key attempts are counted under. */
      readonly key: string
      /** The end of the count, where its own is over. */
      readonly until: Instant
    }
  /** Forgets every try that was counted under a key. No guard. */
  | {
      /** Forgets the attempts of a key. */
      readonly _tag: "ForgetAttempts"
      /** The key attempts are counted under. */
      readonly key: string
    }
  /** Uses something that may be used once until a moment: a `jti`. Guard: the key was not used, or its time is over; it is found as an attempt. */
  | {
      /** Marks a value as used. */
      readonly _tag: "UseOnce"
      /** The value, as a key. */
      readonly key: string
      /** The time of its use. */
      readonly at: Instant
      /** The time until which it may not be used again. */
      readonly until: Instant
    }
  /** Guard: the stored consent was granted at `replaces`; undefined when there must be none. */
  | {
      /** Saves a consent. */
      readonly _tag: "SaveConsent"
      /** The consent to save. */
      readonly consent: Consent
      /** The `grantedAt` of the consent it replaces; undefined where there was none. */
      readonly replaces: Instant | undefined
    }
  /** Guard: the stored consent is this one, moment and scope. Changes nothing. */
  | {
      /** Requires a consent just as it was read. */
      readonly _tag: "RequireConsent"
      /** The consent as it was read. */
      readonly consent: Consent
    }
  /** No guard. */
  | {
      /** Removes a consent. */
      readonly _tag: "RemoveConsent"
      /** The person who gave it. */
      readonly subject: string
      /** The client it was given to. */
      readonly clientId: string
    }

/** What a commit came to: all of it durable, or none of it because a guard failed. */
export type CommitResult = "Committed" | "Conflict"
