import type { Database } from "better-sqlite3"

/** One step from a schema to the next. Its version is its position in the list, counted from 1. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** Moves rows after `sql`, if SQL statements alone cannot do it. */
  readonly move?: (database: Database, progress: Progress) => void
  /** Statements to run after the move. */
  readonly end?: string
}

/** Called with the number of rows that a long step has moved so far and the total. */
export type Progress = (moved: number, all: number) => void

/** Applies one step, within a transaction. */
export const takeStep = (database: Database, { sql, move, end = "" }: Migration, progress: Progress = () => undefined): void => {
  database.exec(sql)
  move?.(database, progress)
  database.exec(end)
}

/** The application id in the header of Postern's databases: `PSTN`. */
export const applicationId = 0x5053544e

/**
 * The application id of backups: `PSTB`. A backup copied over a database by hand would revive spent and revoked rows, so it is not opened.
 * Restoring it marks it as a database again.
 */
export const backupId = 0x50535442

/** Returns the schema version of a file, or 0 if it has no schema. */
export const schemaVersion = (database: Database): number => Number(database.pragma("user_version", { simple: true }))

/**
 * Migrates a database to the last version, one step at a time. Each step and the new version number are one immediate transaction. A
 * process killed midway therefore leaves the old schema or the new one. Of two processes that start together, the second waits and finds
 * the step done.
 *
 * No existing package fits. The one migrations package for better-sqlite3 with a transactional `user_version` stops at its version 12. The
 * general ones keep their own table of steps, which a kill can leave inconsistent with the step itself.
 */
export const migrate = (database: Database, steps: ReadonlyArray<Migration>, progress?: Progress): void => {
  const next = database.transaction((): boolean => {
    const version = schemaVersion(database)
    const step = steps[version]
    if (step === undefined) return false
    takeStep(database, step, progress)
    database.pragma(`application_id = ${applicationId}`)
    database.pragma(`user_version = ${version + 1}`)
    return true
  })
  while (schemaVersion(database) < steps.length) next.immediate()
}
