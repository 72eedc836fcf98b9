import Sqlite, { type Database } from "better-sqlite3"
import { type Instant, rowKinds } from "@postern/core/model"
import { columnOf } from "@postern/stores/rows"
import { existsSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { sqliteCode } from "./guarded.ts"
import { inspect, refusalOf } from "./inspect.ts"
import { lastBackup } from "./lastBackup.ts"
import { schemaVersion } from "./migrate.ts"
import { migrations } from "./schema.ts"

/** A database that is looked at and not changed, not even brought to this version's schema. */
export interface Specimen {
  /** The file itself, where a link leads to. */
  readonly file: string
  /** The database, open for reading. */
  readonly database: Database
  /** The versions of the schema. */
  readonly schema: {
    /** The version of this file. */ readonly version: number
    /** The version this program writes. */ readonly newest: number
  }
  /** The time of the last backup; undefined where there was none. */
  readonly lastBackup: Instant | undefined
}

/**
 * Opens an existing database for reading alone, for as long as something looks at it. Throws `DatabaseRefused` as opening it does, but for
 * damage that only reading every page would find.
 */
export const examine = async <A>(path: string, look: (specimen: Specimen) => A | Promise<A>): Promise<A> => {
  const file = existsSync(path) ? realpathSync(path) : resolve(path)
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

/** Databases up to this many bytes are compared with their indexes too; larger ones page by page, which takes a few times less. */
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

/** Every table with a moment at which its rows were made. */
const made = {
  grants: "created_at",
  access_tokens: "created_at",
  refresh_tokens: "created_at",
  sessions: "seen_at",
  signing_keys: "created_at",
  clients: "updated_at",
  users: "updated_at",
}

/** The latest moment that any row was written at; undefined for a database without rows. */
export const newestMoment = (database: Database): Instant | undefined => {
  const newest = Object.entries(made).map(([table, column]) =>
    database.prepare<[], Instant | null>(`SELECT max(${column}) FROM ${table}`).pluck().get(),
  )
  const moments = newest.filter((at) => at !== null && at !== undefined)
  return moments.length === 0 ? undefined : Math.max(...moments)
}

/** Counts rows that could have been swept by a moment and still exist. */
export const overdueRows = (database: Database, by: Instant): number =>
  rowKinds.reduce((sum, { name, keptUntil, endless }) => {
    if (keptUntil === undefined) return sum
    const until = columnOf(keptUntil)
    const due = `SELECT count(*) FROM ${name} WHERE ${endless ? `${until} > 0 AND ` : ""}${until} <= ?`
    return sum + (database.prepare<[Instant], number>(due).pluck().get(by) ?? 0)
  }, 0)

/** The messages of the outbox: those that wait, those that have been due since before a moment, and those that were given up. */
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

/** Reports whether another process keeps the write lock for so many milliseconds. Nothing is written. */
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
