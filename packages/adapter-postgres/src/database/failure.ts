import { StoreUnavailable } from "@postern/stores"
import * as Cause from "effect/Cause"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * Returns the SQLSTATE of an error that PostgreSQL reported, or `DISCONNECTED` if the server could not be reached. Every SQLSTATE of an
 * error contains a digit, unlike the operating system's codes, such as `EPIPE`.
 */
export const codeOf = ({ reason }: SqlError): string => {
  const { cause } = reason
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : "DISCONNECTED"
}

/** Thrown when a statement violates a constraint. */
export class Violated extends Error {
  override readonly name = "Violated"
  /** The SQLSTATE, such as `23505` for `unique_violation`. */
  readonly code: string

  constructor(code: string, cause: unknown) {
    super(`a constraint forbids it (${code})`, { cause })
    this.code = code
  }
}

/**
 * Converts an operation's failure to {@link StoreUnavailable} if the database could not perform it, to {@link Violated} for a constraint
 * violation, or to a defect.
 */
export const failureOf = (operation: string, cause: Cause.Cause<SqlError>): unknown => {
  if (Cause.hasInterruptsOnly(cause)) return new StoreUnavailable(operation, "CLOSED")
  const error = Cause.squash(cause)
  if (!isSqlError(error)) return error
  const code = codeOf(error)
  return code.startsWith("23") ? new Violated(code, told(error)) : new StoreUnavailable(operation, code, told(error))
}

/** Returns the database's message without the details that PostgreSQL adds for its own log, because they repeat keys and values. */
const told = ({ message, reason: { cause } }: SqlError): Error => new Error(cause instanceof Error ? cause.message : message)

/** Decodes stored values. A text that cannot be parsed is reported as a damaged row. */
export const reading = <A>(operation: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    // The only text parsed here is stored text.
    throw error instanceof SyntaxError ? new StoreUnavailable(operation, "DAMAGED_ROW", error) : error
  }
}
