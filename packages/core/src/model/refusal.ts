import type { Command } from "./command.ts"
import type { Seconds } from "./time.ts"

/** The error codes that Postern returns, grouped by the specification that defines them. */
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
  // No resource at this address (RFC 9110 §15.5.5)
  | "not_found"
  // Error codes of features
  | (string & {})

/** A refusal, with a description for the client and a reason for the operator. */
export interface Refusal {
  /** Distinguishes a refusal. */
  readonly _tag: "Refusal"
  /** The error code of the protocol. */
  readonly error: ErrorCode
  /** A description that is safe to show: ASCII without `"` and `\` (RFC 6749 §5.2). It never contains values that were sent. */
  readonly description: string
  /** The reason, for the operator's trail only. It never contains a secret. */
  readonly reason: string
  /** The state changes of the refusal: a replayed code or refresh token revokes its grant. */
  readonly commands: ReadonlyArray<Command>
  /** Seconds until a retry makes sense. */
  readonly retryAfter: Seconds | undefined
  /** The HTTP authentication scheme with which a retry could succeed (RFC 6749 §5.2); undefined if none could. */
  readonly challenge: "Basic" | undefined
  /** True if the cause is too many attempts, so that the status is 429 (RFC 6585 §4). */
  readonly tooMany: boolean
  /** True if the same request should be repeated, so that nothing it contains is used up (RFC 9449 §8). */
  readonly unspent?: boolean
}

/** Refuses with an error code, a public description and a private reason, which defaults to the description. */
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

/** Refuses temporarily, after too many failed attempts (RFC 6585 §4). */
export const refuseForNow = (error: ErrorCode, description: string, reason: string, retryAfter: Seconds): Refusal => ({
  ...refuse(error, description, reason),
  challenge: undefined,
  retryAfter,
  tooMany: true,
})
