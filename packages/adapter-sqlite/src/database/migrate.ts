import type { Database } from "better-sqlite3"

/** One step from a schema to the next. Its version is its place in the list, counted from 1. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** Moves rows after those statements, where they cannot. */
  readonly move?: (database: Database, progress: Progress) => void
  /** Statements that follow. */
  readonly end?: string
}

/** Told how many rows of how many a long step of an upgrade has moved. */
export type Progress = (moved: number, all: number) => void

/** Takes one step, within a transaction. */
export const takeStep = (database: Database, { sql, move, end = "" }: Migration, progress: Progress = () => undefined): void => {
  database.exec(sql)
  move?.(database, progress)
  database.exec(end)
}

/** Marks the files of Postern: `PSTN` in the header's application id. */
export const applicationId = 0x5053544e

/**
 * Marks their backups: `PSTB`. One that was only copied into a database's place would bring spent and revoked things back to life, so it
 * is not opened: restoring it marks it as a database again.
 */
export const backupId = 0x50535442

/** The schema version a file is at; 0 has none. */
export const schemaVersion = (database: Database): number => Number(database.pragma("user_version", { simple: true }))

/**
 * Brings a database to the last version, one step at a time. Each step and the new version number are one immediate transaction, so a
 * process killed in the middle leaves the old schema or the new, and two that start together take turns: the second finds the step done.
 *
 * Written here because nothing that exists fits: the one migrations package for better-sqlite3 with transactional `user_version` stops at
 * its version 12, and the general ones keep their own table of steps, which a kill can part from the step itself.
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
