/**
 * The database could not carry out an operation: it is locked for too long, full, read-only, damaged, unreachable or closed, or had an I/O
 * error. The operation was not done or was rolled back, unless it is {@link StoreUnavailable.uncertain}. Neither the message nor the fields
 * contain SQL or values.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
  /** The operation that failed. */
  readonly operation: string
  /**
   * The database's own code, such as `SQLITE_BUSY` of SQLite or the SQLSTATE `55P03` of PostgreSQL, or one of these: `CLOSED` after closing,
   * `DISCONNECTED` if the connection was lost, `UNASKED` if there was none to send the operation over, `TIMEOUT` if no answer came in time,
   * `OVERLOADED` if too many operations wait or an earlier answer is late, `LOST` if a thread that writes or syncs died or a sync failed,
   * `REPLACED` while the path of an open database leads to no file or to another one, `CONFLICT` if others changed the same rows at every
   * try, `SEALED` if no key opens an encrypted secret, and `DAMAGED_ROW` for a row that cannot be read.
   */
  readonly code: string
  /**
   * True if the outcome is unknown: the operation may have been carried out although nothing confirmed it, as after a timeout, a lost
   * connection or thread, or a failed sync.
   */
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
  /** The file is truncated, overwritten, or no database at all. */
  | "damaged"
  /** The database belongs to another program. */
  | "foreign"
  /** A later version of Postern wrote the database. */
  | "newer"
  /** An earlier version of Postern wrote the database, and it was opened without being changed. */
  | "older"
  /** The directory is missing, permission is denied, or the server is unreachable or unsuitable. */
  | "inaccessible"
  /** Another process holds a lock on it. */
  | "locked"

/**
 * The failure of opening a database. It was neither opened nor changed. The message names it and tells the operator the remedy, in one
 * line.
 */
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

/** The failure of registering a name that is already registered. */
export class AlreadyExists extends Error {
  override readonly name = "AlreadyExists"
}

/** The failure of finding a name that is not registered. */
export class NotFound extends Error {
  override readonly name = "NotFound"
}
