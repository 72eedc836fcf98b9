import Sqlite, { type Database } from "better-sqlite3"
import { type Instant, rowKinds } from "@postern/core/model"
import { columnOf } from "@postern/stores/rows"
import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { databaseExists } from "./files.ts"
import { sqliteCode } from "./guarded.ts"
import { inspect, refusalOf } from "./inspect.ts"
import { lastBackup } from "./lastBackup.ts"
import { schemaVersion } from "./migrate.ts"
import { migrations } from "./schema.ts"

/** A database opened for inspection. It is not changed, nor migrated to this version's schema. */
export interface Specimen {
  /** The resolved path of the file, with links followed. */
  readonly file: string
  /** The database, opened read-only. */
  readonly database: Database
  /** The versions of the schema. */
  readonly schema: {
    /** The version of this file. */ readonly version: number
    /** The version this program writes. */ readonly newest: number
  }
  /** The time of the last backup, or undefined if there was none. */
  readonly lastBackup: Instant | undefined
}

/**
 * Opens an existing database read-only while `look` runs. Throws `DatabaseRefused` in the same cases as opening it for use, except for
 * damage that is found only by reading every page.
 */
export const examine = async <A>(path: string, look: (specimen: Specimen) => A | Promise<A>): Promise<A> => {
  const file = databaseExists(path) ? realpathSync(path) : resolve(path)
  inspect(file, migrations, 1500)
  let database: Database | undefined
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1500 })
    const schema = { version: schemaVersion(database), newest: migrations.length }
    return await look({ file, database, schema, lastBackup: lastBackup(database) })
  } catch (error) {
    throw refusalOf(file, error)
  } finally {
    database?.close()
  }
}

/**
 * The maximum size in bytes of a database that is checked together with its indexes. Larger ones get the quick check, which is several
 * times faster.
 */
const thoroughUpTo = 1024 * 1024 * 1024

/** Runs SQLite's integrity check, the full or the quick one, and returns up to five problems. */
export const integrityOf = ({
  file,
  database,
}: Pick<Specimen, "file" | "database">): { readonly check: string; readonly problems: ReadonlyArray<string> } => {
  const check = statSync(file).size <= thoroughUpTo ? "integrity_check" : "quick_check"
  const found = database.prepare<[], string>(`PRAGMA ${check}(5)`).pluck().all()
  return { check, problems: found.filter((each) => each !== "ok") }
}

/** Maps tables to the column that holds the time a row was made or last changed. */
const made = {
  grants: "created_at",
  access_tokens: "created_at",
  refresh_tokens: "created_at",
  sessions: "seen_at",
  signing_keys: "created_at",
  clients: "updated_at",
  users: "updated_at",
}

/** Returns the latest time at which any row was made or changed, or undefined if there are no rows. */
export const newestMoment = (database: Database): Instant | undefined => {
  const newest = Object.entries(made).map(([table, column]) =>
    database.prepare<[], Instant | null>(`SELECT max(${column}) FROM ${table}`).pluck().get(),
  )
  const moments = newest.filter((at) => at !== null && at !== undefined)
  return moments.length === 0 ? undefined : Math.max(...moments)
}

/** Counts the rows that still exist although they could have been swept by the given time. */
export const overdueRows = (database: Database, by: Instant): number =>
  rowKinds.reduce((sum, { name, keptUntil, endless }) => {
    if (keptUntil === undefined) return sum
    const until = columnOf(keptUntil)
    const due = `SELECT count(*) FROM ${name} WHERE ${endless ? `${until} > 0 AND ` : ""}${until} <= ?`
    return sum + (database.prepare<[Instant], number>(due).pluck().get(by) ?? 0)
  }, 0)

/** Counts the messages in the outbox: those waiting, those due since before the given time, and those given up. */
export const outboxCounts = (
  database: Database,
  before: Instant,
): { readonly waiting: number; readonly late: number; readonly dead: number } => {
  const [waiting = 0, late = 0, dead = 0] =
    database
      .prepare<[Instant], Array<number>>(
        "SELECT count(*) FILTER (WHERE died_at IS NULL), count(*) FILTER (WHERE died_at IS NULL AND due_at <= ?), count(died_at) FROM outbox",
      )
      .raw()
      .get(before) ?? []
  return { waiting, late, dead }
}

/** Reports whether another process holds the write lock for the given number of milliseconds. Writes nothing. */
export const isWriteLocked = (file: string, patience: number): boolean => {
  const database = new Sqlite(file, { fileMustExist: true, timeout: patience })
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK")
    return false
  } catch (error) {
    if (sqliteCode(error)?.startsWith("SQLITE_BUSY") === true) return true
    throw refusalOf(file, error)
  } finally {
    database.close()
  }
}
