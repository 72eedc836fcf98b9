import { DatabaseRefused, type RefusalReason } from "@postern/stores"
import Sqlite, { type Database } from "better-sqlite3"
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { unreachable } from "./files.ts"
import { sqliteCode } from "./guarded.ts"
import { type Migration, applicationId, backupId, schemaVersion, takeStep } from "./migrate.ts"

/**
 * The maximum size in bytes of a file that is checked page by page before it is opened. In larger files only the pages that SQLite reads
 * anyway are checked.
 */
const fullyChecked = 64 * 1024 * 1024

/**
 * Inspects an existing file without writing to it, and throws {@link DatabaseRefused} unless it is an undamaged database of this version or
 * an earlier one.
 */
export const inspect = (path: string, steps: ReadonlyArray<Migration>, busyTimeout: number): void => {
  const size = sizeOf(path)
  if (size === 0)
    throw new DatabaseRefused(path, "damaged", "the file is empty; restore it from a backup, or remove it to start without data")
  inspectLog(path)
  const database = openReadOnly(path, busyTimeout)
  try {
    refuseUnless(path, database, steps, size <= fullyChecked)
  } catch (error) {
    throw refusalOf(path, error)
  } finally {
    database.close()
  }
}

/** Throws {@link DatabaseRefused} if the database is a backup or belongs to another program. */
export const refuseStranger = (path: string, database: Database): void => {
  const id = database.pragma("application_id", { simple: true })
  if (id === backupId)
    throw new DatabaseRefused(path, "foreign", "this is a backup, not a database to serve; put it back with `postern restore`")
  if (id !== applicationId) throw new DatabaseRefused(path, "foreign", "this is a database of another program, not one of Postern's")
}

const refuseUnless = (path: string, database: Database, steps: ReadonlyArray<Migration>, thoroughly: boolean): void => {
  refuseStranger(path, database)
  const newest = steps.length
  const version = schemaVersion(database)
  if (version > newest) {
    throw new DatabaseRefused(
      path,
      "newer",
      `its schema is version ${version} and this Postern knows versions up to ${newest}; use the newer Postern that wrote it`,
    )
  }
  if (thoroughly && database.pragma("quick_check(1)", { simple: true }) !== "ok") throw damaged(path)
  const missing = missingFrom(database, steps, version)
  if (missing !== undefined) throw new DatabaseRefused(path, "damaged", `its ${missing} is missing; restore it from a backup`)
}

const parts = `
  SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index')
  UNION ALL
  SELECT 'column ' || column.name || ' of table ' || whole.name
  FROM sqlite_schema AS whole, pragma_table_info(whole.name) AS column WHERE whole.type = 'table'`

const partsOf = (database: Database): ReadonlyArray<string> => database.prepare<[], string>(parts).pluck().all()

/**
 * Caches the parts of each schema version by its list of steps and their number, so that a process that opens many databases builds each
 * schema once.
 */
const soundParts = new WeakMap<ReadonlyArray<Migration>, Map<number, ReadonlyArray<string>>>()

/** Remembers the parts of the newest schema, of a database that was just made with these steps. */
export const remember = (steps: ReadonlyArray<Migration>, database: Database): void => {
  soundParts.set(steps, new Map(soundParts.get(steps)).set(steps.length, partsOf(database)))
}

const partsAfter = (steps: ReadonlyArray<Migration>, version: number): ReadonlyArray<string> => {
  const known = soundParts.get(steps) ?? new Map<number, ReadonlyArray<string>>()
  const found = known.get(version)
  if (found !== undefined) return found
  const sound = new Sqlite(":memory:")
  try {
    for (const step of steps.slice(0, version)) takeStep(sound, step)
    const made = partsOf(sound)
    soundParts.set(steps, known.set(version, made))
    return made
  } finally {
    sound.close()
  }
}

/** Returns the first part of a version's schema that the database lacks. Every request that needs a missing part would fail. */
const missingFrom = (database: Database, steps: ReadonlyArray<Migration>, version: number): string | undefined => {
  const there = new Set(partsOf(database))
  return partsAfter(steps, version).find((part) => !there.has(part))
}

const damaged = (path: string, cause?: unknown): DatabaseRefused =>
  new DatabaseRefused(path, "damaged", "the file is damaged; restore it from a backup", cause)

/** Translates an error of opening or reading a file into a refusal for the operator. */
export const refusalOf = (path: string, error: unknown): unknown => {
  const code = sqliteCode(error)
  if (code === undefined) return error
  const refused = (reason: RefusalReason, text: string): DatabaseRefused => new DatabaseRefused(path, reason, `${text} (${code})`, error)
  if (code.startsWith("SQLITE_NOTADB")) return refused("damaged", "this is not a SQLite database, or its header is damaged")
  if (code.startsWith("SQLITE_CORRUPT")) return damaged(path, error)
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return refused("locked", "another process keeps the file locked")
  // The log's index is made when a file is opened, and needs space.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE" || code === "SQLITE_IOERR_WRITE")
    return refused("inaccessible", "its disk is full or fails; free some space")
  return refused(
    "inaccessible",
    "the file cannot be opened; check that this user can read and write it and its directory, that its file system is not read-only, and that the process may open more files",
  )
}

const openReadOnly = (path: string, busyTimeout: number): Database => {
  try {
    return new Sqlite(path, { readonly: true, fileMustExist: true, timeout: busyTimeout })
  } catch (error) {
    throw refusalOf(path, error)
  }
}

const sizeOf = (path: string): number => {
  try {
    const found = statSync(path)
    if (found.isFile()) return found.size
  } catch (error) {
    throw unreachable(path, error)
  }
  throw new DatabaseRefused(path, "inaccessible", "this is not a file")
}

/**
 * Throws if the write-ahead log has an unknown header. SQLite would treat such a log as empty and drop it, and with it every commit since
 * the last checkpoint. A header of zeros is left by a power cut before the first sync, and is accepted. The log itself is never locked, so
 * reading it is safe.
 */
const inspectLog = (path: string): void => {
  const magic = Buffer.alloc(4)
  try {
    const file = openSync(`${path}-wal`, "r")
    try {
      if (readSync(file, magic, 0, 4, 0) < 4) return
    } finally {
      closeSync(file)
    }
  } catch {
    return
  }
  const value = magic.readUInt32BE()
  if (value !== 0 && value !== 0x377f0682 && value !== 0x377f0683) {
    throw new DatabaseRefused(
      path,
      "damaged",
      `its write-ahead log ${path}-wal is damaged; restore both from a backup, or move the log away to go on without its last changes`,
    )
  }
}
