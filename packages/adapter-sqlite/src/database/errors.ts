import Sqlite from "better-sqlite3"

/**
 * The database could not do what was asked: locked for longer than the busy timeout, disk full, read-only, an I/O error, damaged, closed.
 * Nothing of the operation was done, or it was rolled back; it may be tried again. Neither message nor fields hold SQL or values.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
  /** What was asked of the store. */
  readonly operation: string
  /** SQLite's result code, such as `SQLITE_BUSY` or `SQLITE_FULL`; `CLOSED` after closing; `DAMAGED_ROW` for a row that cannot be read. */
  readonly code: string

  constructor(operation: string, code: string, cause?: unknown) {
    super(`the store cannot ${operation} now (${code})`, { cause })
    this.operation = operation
    this.code = code
  }
}

/** Why a database file was not opened. */
export type RefusalReason =
  /** Cut, overwritten, or not a SQLite file at all. */
  | "damaged"
  /** A SQLite file of another program. */
  | "foreign"
  /** Written by a later version of Postern. */
  | "newer"
  /** Missing directory or permission. */
  | "inaccessible"
  /** Another process keeps it locked. */
  | "locked"

/** The database file was not opened, and not changed. The message names the file and what to do, in one line, for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused"
  readonly path: string
  readonly reason: RefusalReason

  constructor(path: string, reason: RefusalReason, text: string, cause?: unknown) {
    super(`${path}: ${text}`, { cause })
    this.path = path
    this.reason = reason
  }
}

/** Something of that name is registered already. */
export class AlreadyExists extends Error {
  override readonly name = "AlreadyExists"
}

/** Nothing of that name is registered. */
export class NotFound extends Error {
  override readonly name = "NotFound"
}

/** The code of an error that SQLite reported; undefined for anything else. */
export const sqliteCode = (error: unknown): string | undefined => (error instanceof Sqlite.SqliteError ? error.code : undefined)

/** Runs an operation; what the database reports becomes {@link StoreUnavailable}, anything else is a defect and passes through. */
export const guarded = <A>(operation: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw asUnavailable(operation, error)
  }
}

const asUnavailable = (operation: string, error: unknown): unknown => {
  const code = sqliteCode(error)
  if (code !== undefined) return new StoreUnavailable(operation, code, error)
  if (error instanceof TypeError && error.message === "The database connection is not open")
    return new StoreUnavailable(operation, "CLOSED", error)
  // Only a stored text is ever parsed here.
  if (error instanceof SyntaxError) return new StoreUnavailable(operation, "DAMAGED_ROW", error)
  return error
}
