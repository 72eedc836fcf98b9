import type { Command } from "./command.ts"
import type { Locator } from "./handle.ts"
import type { AccessToken, AuthorizationCode, Consent, Device, Grant, Interaction, RefreshToken, Session, Successor } from "./rows.ts"
import type { Instant } from "./time.ts"

/** Saves a new grant. */
export const saveGrant = (grant: Grant): Command => ({ _tag: "SaveGrant", grant })

/** Requires that a grant lives: that it is there and not revoked. */
export const requireGrant = (grantId: Locator): Command => ({ _tag: "RequireGrant", grantId })

/** Keeps a living grant, and each it was derived from, until a moment at least. */
export const keepGrant = (grantId: Locator, keepUntil: Instant): Command => ({ _tag: "KeepGrant", grantId, keepUntil })

/** Revokes a grant and those derived from it. */
export const revokeGrant = (grantId: Locator, at: Instant): Command => ({ _tag: "RevokeGrant", grantId, at })

/** Names grants of a person, narrowed to one client or one session where given. */
export interface GrantsOf {
  /** The person whose grants they are. */
  readonly subject: string
  /** Narrows them to one client. */
  readonly clientId?: string | undefined
  /** Narrows them to one session. */
  readonly sessionId?: Locator | undefined
}

/** Revokes grants of a person, and those derived from them. */
export const revokeGrants = ({ subject, clientId, sessionId }: GrantsOf, at: Instant): Command => ({
  _tag: "RevokeGrants",
  subject,
  clientId,
  sessionId,
  at,
})

/** Saves a new authorization code. */
export const saveCode = (code: AuthorizationCode): Command => ({ _tag: "SaveCode", code })

/** Consumes an unconsumed authorization code, and keeps its row until a moment at least. */
export const consumeCode = (locator: Locator, at: Instant, keepUntil: Instant): Command => ({ _tag: "ConsumeCode", locator, at, keepUntil })

/** Saves a new reference access token. */
export const saveAccessToken = (token: AccessToken): Command => ({ _tag: "SaveAccessToken", token })

/** Revokes one reference access token. */
export const revokeAccessToken = (locator: Locator, at: Instant): Command => ({ _tag: "RevokeAccessToken", locator, at })

/** Saves a new refresh token. */
export const saveRefreshToken = (token: RefreshToken): Command => ({ _tag: "SaveRefreshToken", token })

/** Marks the newest refresh token of a chain as rotated, and names its successor. */
export const rotateRefreshToken = (locator: Locator, at: Instant, successor: Successor): Command => ({
  _tag: "RotateRefreshToken",
  locator,
  at,
  successor,
})

/** Saves a new session. */
export const saveSession = (session: Session): Command => ({ _tag: "SaveSession", session })

/** Requires that a session has not ended. */
export const requireSession = (locator: Locator): Command => ({ _tag: "RequireSession", locator })

/** Prolongs a session that has not ended. */
export const touchSession = (
  locator: Locator,
  { seenAt, expiresAt, keepUntil }: Pick<Session, "seenAt" | "expiresAt" | "keepUntil">,
): Command => ({ _tag: "TouchSession", locator, seenAt, expiresAt, keepUntil })

/** Ends a session whose place another sign-in takes. */
export const endSession = (locator: Locator, at: Instant): Command => ({ _tag: "EndSession", locator, at, grants: false })

/** Signs a person out: ends the session, and with it the grants that end with their session. */
export const signOut = (locator: Locator, at: Instant): ReadonlyArray<Command> => [{ _tag: "EndSession", locator, at, grants: true }]

/** Saves a new interaction. */
export const saveInteraction = (interaction: Interaction): Command => ({ _tag: "SaveInteraction", interaction })

/** Replaces an interaction by its next version. */
export const replaceInteraction = (interaction: Interaction): Command => ({ _tag: "ReplaceInteraction", interaction })

/** Saves a new device authorization. */
export const saveDevice = (device: Device): Command => ({ _tag: "SaveDevice", device })

/** Replaces a device authorization by its next version. */
export const replaceDevice = (device: Device): Command => ({ _tag: "ReplaceDevice", device })

/** Counts one more under a key, from one again when its time is over; a new count ends at `resetAt`. */
export const countAttempt = (key: string, at: Instant, resetAt: Instant): Command => ({ _tag: "CountAttempt", key, at, resetAt })

/** Attempts that may be taken under a key. */
export interface Reservation {
  /** The key attempts are counted under. */
  readonly key: string
  /** The attempts there are. */
  readonly most: number
  /** The time a new count forgets its attempts. */
  readonly resetAt: Instant
  /** The time until which a count that is now full is kept; unchanged when undefined. */
  readonly fullUntil?: Instant | undefined
}

/** Takes one of the attempts that are left under a key. */
export const reserveAttempt = ({ key, most, resetAt, fullUntil }: Reservation, at: Instant): Command => ({
  _tag: "ReserveAttempt",
  key,
  at,
  most,
  resetAt,
  fullUntil,
})

/** Gives an attempt back, unless the count it was taken from is over: then the count ends after `until`. */
export const returnAttempt = (key: string, until: Instant): Command => ({ _tag: "ReturnAttempt", key, until })

/** Forgets the attempts of a key. */
export const forgetAttempts = (key: string): Command => ({ _tag: "ForgetAttempts", key })

/** Marks a value as used until a moment: once. */
export const useOnce = (key: string, at: Instant, until: Instant): Command => ({ _tag: "UseOnce", key, at, until })

/** Saves a consent in the place of the one granted at `replaces`; undefined when there must be none. */
export const saveConsent = (consent: Consent, replaces: Instant | undefined): Command => ({ _tag: "SaveConsent", consent, replaces })

/** Requires a consent just as it was read. */
export const requireConsent = (consent: Consent): Command => ({ _tag: "RequireConsent", consent })

/** Removes the consent that a person gave a client. */
export const removeConsent = (subject: string, clientId: string): Command => ({ _tag: "RemoveConsent", subject, clientId })
