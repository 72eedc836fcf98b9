import type { ClientTerms } from "./client.ts"
import type { Locator } from "./handle.ts"
import type { JsonObject } from "./json.ts"
import type { Instant } from "./time.ts"

/** A person's sign-in in one browser. Clients with public subjects see its locator as `sid`; others a `sid` of their sector. */
export interface Session {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The person who is signed in. */
  readonly subject: string
  /** The time the person signed in. */
  readonly authTime: Instant
  /** The authentication methods of the sign-in (RFC 8176). */
  readonly amr: ReadonlyArray<string>
  /** The authentication context that was satisfied. */
  readonly acr?: string | undefined
  /** The other provider of the sign-in; undefined for a password of this provider. */
  readonly idp?: string | undefined
  /** The tenant of the sign-in; undefined if none was requested. */
  readonly tenant?: string | undefined
  /** The browser's User-Agent, truncated to 200 characters, for the person's list of sessions. */
  readonly agent: string
  /** The network of the sign-in (an IPv4 /24 or an IPv6 /48), for the same list; undefined if unknown. */
  readonly address?: string | undefined
  /**
   * Earlier sessions of the same person in the same browser that this one replaced, newest first. When this session ends, it ends for their
   * clients too. Undefined if there are none.
   */
  readonly replaced?: ReadonlyArray<Locator> | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time of its last use. */
  readonly seenAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time at which it was ended; undefined if it has not been. */
  readonly endedAt?: Instant | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A device that waits for a person to approve it (RFC 8628 §3.2). */
export interface Device {
  /** The row's key. */
  readonly locator: Locator
  /** Digest of the device code's secret. */
  readonly digest: string
  /** Digest of the user code, which is unique. */
  readonly userCode: string
  /** The client it was made for. */
  readonly clientId: string
  /** The scopes it requests. */
  readonly scope: ReadonlyArray<string>
  /** The authorization details it requests (RFC 9396); undefined if it requests none. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The minimum number of seconds between two polls; it grows if the device polls too fast. */
  readonly interval: number
  /** The time of the last poll. */
  readonly polledAt?: Instant | undefined
  /** Its state. */
  readonly state: "pending" | "approved" | "denied" | "consumed"
  /** The grant, once it is approved. */
  readonly grantId?: Locator | undefined
  /** Counts the changes; a replacement states the version it read. */
  readonly version: number
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/**
 * A remembered consent: the scopes, named claims and authorization details that a person has allowed a client. One per subject and client.
 */
export interface Consent {
  /** The person who gave it. */
  readonly subject: string
  /** The client it was given to. */
  readonly clientId: string
  /** The allowed scopes, with `claim NAME` for a claim and `detail {…}` for an authorization detail. */
  readonly scope: ReadonlyArray<string>
  /** The time it was given, or last widened. */
  readonly grantedAt: Instant
  /** The time it ends; 0 means never. */
  readonly expiresAt: Instant
  /** The metadata on which it is based, if the client publishes its own. A change of it requires a new consent. */
  readonly terms?: ClientTerms | undefined
}

/**
 * A message that triggers an action after the commit that wrote it, such as sending a logout token, a mail or a ping. It is delivered at
 * least once, by the process that claims it.
 */
export interface OutboxMessage {
  /** The row's key, which also lets a receiver detect a repetition. */
  readonly locator: Locator
  /** The kind of message, which determines its handler. */
  readonly kind: string
  /** The input of its handler. It contains no secret that the database would not store. */
  readonly payload: JsonObject
  /** The time it was written. */
  readonly createdAt: Instant
  /** The time from which it may be claimed. A claim postpones it by the duration of the claim. */
  readonly dueAt: Instant
  /** The number of claims so far. */
  readonly attempts: number
  /** The claim that is valid until `dueAt`; undefined if it is not claimed. */
  readonly claimedBy?: string | undefined
  /** The reason why its last delivery failed. */
  readonly lastFailure?: string | undefined
  /** The time at which delivery was given up; undefined if it was not. */
  readonly diedAt?: Instant | undefined
  /** The earliest time the row may be swept; 0 until delivery is given up. */
  readonly keepUntil: Instant
}
