/**
 * The database could not do what was asked: locked for too long, disk full, read-only, an I/O error, damaged, out of reach, closed. Nothing
 * of the operation was done, or it was rolled back; only what is {@link StoreUnavailable.uncertain} may have been done.
 * Neither message nor fields hold SQL or values.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
  /** The operation that was asked of the store. */
  readonly operation: string
  /**
   * The database's own code: SQLite's, such as `SQLITE_BUSY`, or PostgreSQL's SQLSTATE, such as `55P03`. `CLOSED` after closing,
   * `DISCONNECTED` where there is no connection, `TIMEOUT` where there was no answer in time, `OVERLOADED` where too many wait or an earlier answer is late,
   * `LOST` where a thread that writes or syncs died, or a sync failed, `DAMAGED_ROW` for a row that cannot be read.
   */
  readonly code: string
  /** True if the outcome is unknown, because the operation was sent and the connection or thread was lost before it answered. */
  readonly uncertain: boolean

  constructor(operation: string, code: string, cause?: unknown) {
    super(`the store cannot ${operation} now (${code})`, { cause })
    this.operation = operation
    this.code = code
    this.uncertain = /^(?:LOST|DISCONNECTED|TIMEOUT|08...|40003)$/.test(code)
  }
}

/** The reason why a database was not opened. */
export type RefusalReason =
  /** Cut, overwritten, or not a database at all. */
  | "damaged"
  /** A database of another program. */
  | "foreign"
  /** Written by a later version of Postern. */
  | "newer"
  /** The directory is missing, permission is denied, or the server is unreachable or unsuitable. */
  | "inaccessible"
  /** Another process keeps it locked. */
  | "locked"

/** The database was not opened, and not changed. The message names it and what to do, in one line, for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused"
  /** The database's file, or its URL without a password. */
  readonly place: string
  readonly reason: RefusalReason

  constructor(place: string, reason: RefusalReason, text: string, cause?: unknown) {
    super(`${place}: ${text}`, { cause })
    this.place = place
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
