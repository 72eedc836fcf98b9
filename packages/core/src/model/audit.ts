import type { Locator } from "./handle.ts"
import type { Instant } from "./time.ts"

/** The name of an event, as auditors query it. Features add their own. */
export type AuditEventName = KnownAuditEventName | (string & Record<never, never>)

/** The names of the events that core and the command line emit. */
type KnownAuditEventName =
  | "sign_in"
  | "sign_in_failed"
  | "sign_out"
  | "granted"
  | "token_issued"
  | "revoked"
  | "consent_given"
  | "consent_denied"
  | "consent_withdrawn"
  | "device_approved"
  | "device_denied"
  | "authorization_pushed"
  | "refused"
  /** Changes that an operator makes. */
  | "client_added"
  | "client_changed"
  | "client_removed"
  | "user_added"
  | "user_changed"
  | "user_removed"
  | "key_added"

/** An event that happened and is durable, or a refusal. It contains no secret: tokens and codes are identified only by their grant. */
export interface AuditEvent {
  /** The kind of event. */
  readonly event: AuditEventName
  /** The name of the issuer, if the process has several. */
  readonly issuer?: string | undefined
  /** The time it happened. */
  readonly at: Instant
  /** The id of the request and of its trail; undefined for an operator's action. */
  readonly requestId?: string | undefined
  /** The endpoint, by its name in trails. */
  readonly endpoint?: string | undefined
  /** The caller's address, as far as the adapter trusts it. */
  readonly address?: string | undefined
  /** The client that was involved. */
  readonly clientId?: string | undefined
  /** The person that it concerns. */
  readonly subject?: string | undefined
  /**
   * The account of a successful or failed sign-in: a keyed hash of the normalized username, of another provider's name and the username
   * there, or of another provider's issuer and subject. It is the same for every attempt at an account, whether or not the account exists.
   */
  readonly account?: string | undefined
  /** The session it belongs to. */
  readonly sessionId?: Locator | undefined
  /** The grant it belongs to. */
  readonly grantId?: Locator | undefined
  /** The scopes that were granted or requested. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The types of the authorization details that were granted or requested. */
  readonly authorizationDetails?: ReadonlyArray<string> | undefined
  /** The sign-in method, the extension grant that was used, the tokens that were issued, or the rule that refused. */
  readonly detail?: string | undefined
}
