import Sqlite, { type Database } from "better-sqlite3"

/** A connection whose reads of one turn of the event loop share a snapshot. */
export interface Snapshots {
  readonly database: Database
  /** Called before each read: the first one of a turn takes the snapshot. */
  readonly reading: () => void
  /** Lets the snapshot go at once: what is read from here on sees what was committed meanwhile. */
  readonly renew: () => void
  readonly close: () => void
}

/**
 * Opens a connection that only reads, beside the one that another thread writes on. Taking the locks of a read, and reading anew what a
 * commit has made stale, costs more than the read itself: so that is done once for all that a turn reads.
 */
export const snapshotsOf = (file: string, patience: number): Snapshots => {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: patience })
  const begin = database.prepare("BEGIN")
  const end = database.prepare("COMMIT")
  let taken = false
  let due = false
  const renew = (): void => {
    if (!taken) return
    taken = false
    // Some faults end it themselves.
    if (database.open && database.inTransaction) end.run()
  }
  const turnEnds = (): void => {
    due = false
    renew()
  }
  return {
    database,
    reading: () => {
      if (taken) return
      begin.run()
      taken = true
      if (due) return
      due = true
      setImmediate(turnEnds)
    },
    renew,
    close: () => {
      renew()
      database.close()
    },
  }
}
