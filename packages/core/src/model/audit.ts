import type { Locator } from "./handle.ts"
import type { Instant } from "./time.ts"

/** What happened, as an auditor asks for it. */
export type AuditEventName =
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
  readonly event: AuditEventName
  readonly at: Instant
  /** The request's id, which is its trail's too; undefined for what an operator did. */
  readonly requestId?: string | undefined
  readonly endpoint?: string | undefined
  /** The caller's address, as far as the adapter trusts it. */
  readonly address?: string | undefined
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
  readonly sessionId?: Locator | undefined
  readonly grantId?: Locator | undefined
  readonly scope?: ReadonlyArray<string> | undefined
  /** How a person signed in, which extension grant it came by, which tokens were issued, which rule refused. */
  readonly detail?: string | undefined
}
