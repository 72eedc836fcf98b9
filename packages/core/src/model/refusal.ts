import type { Command } from "./command.ts"
import type { Seconds } from "./time.ts"

/** Every error code Postern answers with, by the text that defines it. */
export type ErrorCode =
  // RFC 6749 §4.1.2.1, §5.2
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_scope"
  | "access_denied"
  | "server_error"
  | "temporarily_unavailable"
  // OpenID Connect Core §3.1.2.6
  | "interaction_required"
  | "login_required"
  | "account_selection_required"
  | "consent_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported"
  | "invalid_request_uri"
  | "invalid_request_object"
  // OpenID Connect Unmet Authentication Requirements §2
  | "unmet_authentication_requirements"
  // RFC 8707 §2
  | "invalid_target"
  // RFC 9396 §5
  | "invalid_authorization_details"
  // RFC 6750 §3.1
  | "invalid_token"
  | "insufficient_scope"
  // RFC 8628 §3.5
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  // RFC 7009 §2.2.1
  | "unsupported_token_type"
  // Nothing is at the address (RFC 9110 §15.5.5)
  | "not_found"
  // Of a feature: any other text
  | (string & {})

/** A refusal: what the client may know, and what the operator should. */
export interface Refusal {
  /** Tells a refusal from what passes. */
  readonly _tag: "Refusal"
  /** The error code of the protocol. */
  readonly error: ErrorCode
  /** Safe to show: ASCII without `"` and `\` (RFC 6749 §5.2); never holds what was sent. */
  readonly description: string
  /** For the operator's trail alone; never holds a secret. */
  readonly reason: string
  /** The changes that a refusal makes: a replayed code or refresh token revokes its grant. */
  readonly commands: ReadonlyArray<Command>
  /** After how long another try makes sense. */
  readonly retryAfter: Seconds | undefined
  /** The HTTP scheme by which another try could succeed (RFC 6749 §5.2); undefined where none could. */
  readonly challenge: "Basic" | undefined
  /** True if it is a matter of too many tries: then the status is 429 (RFC 6585 §4). */
  readonly tooMany: boolean
  /** True if it asks for the same request again: nothing that the request brought is used up (RFC 9449 §8). */
  readonly unspent?: boolean
}

/** Refuses with an error code, a public description and a private reason (the description again when none is given). */
export const refuse = (error: ErrorCode, description: string, reason = description, ...commands: ReadonlyArray<Command>): Refusal => ({
  _tag: "Refusal",
  error,
  description,
  reason,
  commands,
  retryAfter: undefined,
  challenge: error === "invalid_client" ? "Basic" : undefined,
  tooMany: false,
})

/** Refuses for now: too much was tried that was wrong (RFC 6585 §4). */
export const refuseForNow = (error: ErrorCode, description: string, reason: string, retryAfter: Seconds): Refusal => ({
  ...refuse(error, description, reason),
  challenge: undefined,
  retryAfter,
  tooMany: true,
})
