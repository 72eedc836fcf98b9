import { StoreUnavailable } from "@postern/stores"
import type { Flavor, Speech } from "./flavor.ts"

/** Thrown to roll back a transaction with a known outcome, its cause. */
export class TakenBack extends Error {
  override readonly name = "TakenBack"
}

/** Returns the database's error code: a SQLSTATE, or a name of MySQL's or SQLite's; undefined if the error is the client's own. */
export const codeOf = (flavor: Flavor, error: unknown): string | undefined => {
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "string") return uncoded(flavor, error)
  const { code } = error
  if (flavor === "postgres") return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
  if (flavor === "sqlite") return code.startsWith("SQLITE_") ? code : uncoded(flavor, error)
  // The driver's own codes, such as PROTOCOL_CONNECTION_LOST, have no SQLSTATE.
  return "sqlState" in error && typeof error.sqlState === "string" && code.startsWith("ER_") ? code : undefined
}

/** Derives a code from the message, because SQLite drivers other than better-sqlite3 give no code. */
const uncoded = (flavor: Flavor, error: unknown): string | undefined => {
  if (flavor !== "sqlite" || !(error instanceof Error)) return undefined
  if (/UNIQUE constraint failed/i.test(error.message)) return "SQLITE_CONSTRAINT_UNIQUE"
  return /database (?:table )?is locked/i.test(error.message) ? "SQLITE_BUSY" : "SQLITE_ERROR"
}

/** Codes by which the server announces the end of a connection. During a commit its outcome is then unknown. */
const ending = /^(?:08...|57P0\d|ER_(?:CONNECTION_KILLED|SERVER_SHUTDOWN|NORMAL_SHUTDOWN|NET_\w+))$/

/** Returns the failure of an operation. Its message contains no values, unlike a database's message about a duplicate row. */
export const failureOf = (flavor: Flavor, operation: string, error: unknown, committing: boolean): StoreUnavailable => {
  const code = codeOf(flavor, error)
  if (code !== undefined && !(committing && ending.test(code))) return new StoreUnavailable(operation, code)
  // Without a commit request, the server has rolled the transaction back in any case.
  return new StoreUnavailable(operation, committing ? "DISCONNECTED" : "UNASKED", clientError(error))
}

const clientError = (error: unknown): Error => new Error(error instanceof Error ? error.message : "no answer")

/** Classifies an error of a transaction that was rolled back. */
export const judged = (flavor: Flavor, { again, exists }: Speech, error: unknown): "again" | "exists" | undefined => {
  const code = codeOf(flavor, error)
  if (code === undefined) return undefined
  if (exists.test(code)) return "exists"
  return again.test(code) ? "again" : undefined
}
