import type { Locator } from "./handle.ts"
import type { Instant } from "./time.ts"

/** The name of an event, as an auditor asks for it: features add their own. */
export type AuditEventName = KnownAuditEventName | (string & Record<never, never>)

/** The names of the events that core and the command line tell. */
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

/** Something that happened and was made durable, or was refused. Holds no secret: tokens and codes are named by their grant alone. */
export interface AuditEvent {
  /** The kind of event. */
  readonly event: AuditEventName
  /** The name of the issuer, where one process has several. */
  readonly issuer?: string | undefined
  /** The time it happened. */
  readonly at: Instant
  /** The request's id, which is its trail's too; undefined for what an operator did. */
  readonly requestId?: string | undefined
  /** The endpoint, by its name in trails. */
  readonly endpoint?: string | undefined
  /** The caller's address, as far as the adapter trusts it. */
  readonly address?: string | undefined
  /** The client that took part. */
  readonly clientId?: string | undefined
  /** The person it is about. */
  readonly subject?: string | undefined
  /**
   * The account of a sign-in, or of one that failed: a keyed hash of the username as it is compared, of another provider's name and the username there, or of
   * another provider's issuer and subject. The same for each try at one account, whether or not there is such an account.
   */
  readonly account?: string | undefined
  /** The session it belongs to. */
  readonly sessionId?: Locator | undefined
  /** The grant it belongs to. */
  readonly grantId?: Locator | undefined
  /** The scopes that were granted or asked for. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The types of the authorization details that were granted or asked for. */
  readonly authorizationDetails?: ReadonlyArray<string> | undefined
  /** The way a person signed in, the extension grant it came by, the tokens that were issued, or the rule that refused. */
  readonly detail?: string | undefined
}
