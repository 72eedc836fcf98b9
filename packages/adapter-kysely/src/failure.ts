import { StoreUnavailable } from "@postern/stores"
import type { Flavor, Speech } from "./flavor.ts"

/** Takes a transaction back whose outcome is known, and is that outcome. */
export class TakenBack extends Error {
  override readonly name = "TakenBack"
  readonly outcome: unknown

  constructor(outcome: unknown) {
    super("taken back")
    this.outcome = outcome
  }
}

/** The database's own code of an error that it answered with: a SQLSTATE, a name of MySQL's or of SQLite's; undefined where it is the client's own. */
export const codeOf = (flavor: Flavor, error: unknown): string | undefined => {
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "string") return uncoded(flavor, error)
  const { code } = error
  if (flavor === "postgres") return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
  if (flavor === "sqlite") return code.startsWith("SQLITE_") ? code : uncoded(flavor, error)
  // Codes of the driver's own, such as PROTOCOL_CONNECTION_LOST, come without a SQLSTATE.
  return "sqlState" in error && typeof error.sqlState === "string" && code.startsWith("ER_") ? code : undefined
}

/** Drivers of SQLite beside better-sqlite3 say it in words. */
const uncoded = (flavor: Flavor, error: unknown): string | undefined => {
  if (flavor !== "sqlite" || !(error instanceof Error)) return undefined
  if (/UNIQUE constraint failed/i.test(error.message)) return "SQLITE_CONSTRAINT_UNIQUE"
  return /database (?:table )?is locked/i.test(error.message) ? "SQLITE_BUSY" : "SQLITE_ERROR"
}

/** A connection's end that the server announces; in the middle of a commit nobody knows if it was done. */
const ending = /^(?:08...|57P0\d|ER_(?:CONNECTION_KILLED|SERVER_SHUTDOWN|NORMAL_SHUTDOWN|NET_\w+))$/

/** The failure of an operation. Its message holds no values: what databases say of a row that exists does. */
export const failureOf = (flavor: Flavor, operation: string, error: unknown, committing: boolean): StoreUnavailable => {
  const code = codeOf(flavor, error)
  if (code !== undefined && !(committing && ending.test(code))) return new StoreUnavailable(operation, code)
  // Taken back by the server, whatever it had heard of it: a commit was never asked for.
  return new StoreUnavailable(operation, committing ? "DISCONNECTED" : "UNASKED", clientError(error))
}

const clientError = (error: unknown): Error => new Error(error instanceof Error ? error.message : "no answer")

/** Judges an error of a transaction that was taken back. */
export const judged = (flavor: Flavor, { again, exists }: Speech, error: unknown): "again" | "exists" | undefined => {
  const code = codeOf(flavor, error)
  if (code === undefined) return undefined
  if (exists.test(code)) return "exists"
  return again.test(code) ? "again" : undefined
}
