import { StoreUnavailable } from "@postern/stores"
import * as Cause from "effect/Cause"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * The SQLSTATE of an error that PostgreSQL reported; `DISCONNECTED` where it could not be asked. Every SQLSTATE of an error has a digit; a code of
 * the operating system, such as `EPIPE`, has none.
 */
export const codeOf = ({ reason }: SqlError): string => {
  const { cause } = reason
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : "DISCONNECTED"
}

/** PostgreSQL took the statement, and a rule of its tables forbids what it says. */
export class Violated extends Error {
  override readonly name = "Violated"
  /** The SQLSTATE: `23505` is `unique_violation`. */
  readonly code: string

  constructor(code: string, cause: unknown) {
    super(`a constraint forbids it (${code})`, { cause })
    this.code = code
  }
}

/** Translates an operation's failure: {@link StoreUnavailable} where the database could not do it, {@link Violated}, or a defect. */
export const failureOf = (operation: string, cause: Cause.Cause<SqlError>): unknown => {
  if (Cause.hasInterruptsOnly(cause)) return new StoreUnavailable(operation, "CLOSED")
  const error = Cause.squash(cause)
  if (!isSqlError(error)) return error
  const code = codeOf(error)
  return code.startsWith("23") ? new Violated(code, told(error)) : new StoreUnavailable(operation, code, told(error))
}

/** The database's message, without the details that PostgreSQL adds for its own log: they repeat keys and values. */
const told = ({ message, reason: { cause } }: SqlError): Error => new Error(cause instanceof Error ? cause.message : message)

/** Reads what was stored; a text that is not what it was written as is a damaged row. */
export const reading = <A>(operation: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    // Only a stored text is ever parsed here.
    throw error instanceof SyntaxError ? new StoreUnavailable(operation, "DAMAGED_ROW", error) : error
  }
}
