import Sqlite from "better-sqlite3"
import type { Instant } from "@postern/core/model"
import { inSeconds, kindFault, type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import { randomUUID } from "node:crypto"
import { closeSync, linkSync, openSync, realpathSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { AlreadyExists, DatabaseRefused } from "@postern/stores"
import { systemClock } from "@postern/stores/sql"
import { sqliteCode } from "../database/guarded.ts"
import { companions, databaseExists, passing, sync } from "../database/files.ts"
import { inspect, refusalOf } from "../database/inspect.ts"
import { rememberBackup } from "../database/lastBackup.ts"
import { backupId, schemaVersion } from "../database/migrate.ts"
import { migrations } from "../database/schema.ts"
import { kindOf } from "./header.ts"

/** Options of a backup. */
export interface BackupOptions {
  /** Replaces an existing backup, but never a database. */
  readonly force?: boolean
  /** Called with the number of pages copied so far and the total. */
  readonly progress?: (copied: number, all: number) => void
  /** Returns the current time in whole seconds since 1970. Defaults to the system clock. */
  readonly now?: () => Instant
}

const kinds: MemberKinds<BackupOptions> = { force: "boolean?", progress: "function?", now: "function?" }

/** A completed backup, verified and synced to disk. */
export interface Backup {
  /** The file written. */
  readonly file: string
  /** Its size in bytes. */
  readonly bytes: number
  /** The time of the snapshot. The backup holds everything committed by then and nothing later. */
  readonly takenAt: Instant
  /** Its schema version. */
  readonly schema: number
  /** The signing keys in the backup. */
  readonly keys: { /** Number of them. */ readonly all: number; /** Number of sealed ones. */ readonly sealed: number }
  /** Reports whether the time of the backup was recorded in the database. */
  readonly noted: boolean
}

/** The number of pages copied before yielding to the event loop: 8 MiB. */
const slice = 2048

/** The time to wait for a lock that another process holds, in milliseconds. */
const patience = 1500

/**
 * Copies a database as of one moment while others write to it. The copy is a single file that only its owner can read. It is written beside
 * its destination, verified page by page, synced, and then moved into place. Throws {@link DatabaseRefused}, and {@link AlreadyExists} if
 * the file exists. While the copy runs, the database's log cannot restart, so it grows with every write.
 */
export const backUp = async (path: string, to: string, options: BackupOptions = {}): Promise<Backup> => {
  refuseFaults("backUp", kindFault("path", path, "text"), kindFault("to", to, "text"), memberFaults(options, kinds))
  const file = resolve(to)
  const from = databaseExists(path) ? realpathSync(path) : resolve(path)
  refusePlace(file, from, options.force ?? false)
  inspect(from, migrations, patience)
  const draft = `${file}.${randomUUID()}.new`
  const removeDraft = passing(draft)
  try {
    closeSync(openSync(draft, "wx", 0o600))
    const takenAt = await copied(from, draft, options)
    const made = sealedOff(draft, takenAt)
    sync(draft)
    put(draft, file, options.force ?? false)
    sync(dirname(file))
    return { file, bytes: statSync(file).size, takenAt, ...made, noted: note(from, takenAt) }
  } catch (error) {
    throw unwritten(file, error)
  } finally {
    removeDraft()
  }
}

const refusePlace = (file: string, from: string, force: boolean): void => {
  if (!databaseExists(file)) return
  if (["", ...companions].some((suffix) => realpathSync(file) === from + suffix))
    throw new DatabaseRefused(file, "inaccessible", "this is the database itself; name another file for the backup")
  if (!force) throw new AlreadyExists(`${file} already exists`)
  // A database is refused even with `force`, because a provider may be serving it.
  if (!statSync(file).isFile() || ["database", "foreign"].includes(kindOf(file)))
    throw new DatabaseRefused(file, "inaccessible", "this is not a backup, and is not replaced by one; name another file")
}

const copied = async (from: string, draft: string, { progress, now = systemClock }: BackupOptions): Promise<Instant> => {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true, timeout: patience })
  try {
    // Without a transaction of its own, the copy would restart whenever another process commits, and would never finish under load.
    source.exec("BEGIN")
    schemaVersion(source)
    const takenAt = inSeconds("backUp", now)()
    await source.backup(draft, {
      progress: ({ totalPages, remainingPages }) => {
        progress?.(totalPages - remainingPages, totalPages)
        return slice
      },
    })
    return takenAt
  } catch (error) {
    throw sqliteCode(error)?.startsWith("SQLITE_CORRUPT") === true ? refusalOf(from, error) : error
  } finally {
    source.close()
  }
}

/** Turns the copy into a single file marked as a backup, and verifies every page of it. */
const sealedOff = (draft: string, takenAt: Instant): Pick<Backup, "schema" | "keys"> => {
  const copy = new Sqlite(draft, { fileMustExist: true })
  try {
    copy.pragma("journal_mode = DELETE")
    copy.pragma("synchronous = OFF")
    copy.pragma(`application_id = ${backupId}`)
    rememberBackup(copy, takenAt)
    if (copy.pragma("integrity_check(1)", { simple: true }) !== "ok")
      throw new DatabaseRefused(draft, "damaged", "the copy is damaged, and so is the database or this disk; run `postern doctor`")
    const kinds = copy.prepare<[], number>("SELECT private_jwk NOT LIKE '{%' FROM signing_keys").pluck().all()
    return { schema: schemaVersion(copy), keys: { all: kinds.length, sealed: kinds.filter((sealed) => sealed === 1).length } }
  } finally {
    copy.close()
  }
}

/** Records the backup's time in the database and reports whether that succeeded. The backup is valid either way. */
const note = (from: string, takenAt: Instant): boolean => {
  try {
    const database = new Sqlite(from, { fileMustExist: true, timeout: patience })
    try {
      rememberBackup(database, takenAt)
      return true
    } finally {
      database.close()
    }
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    return false
  }
}

const put = (draft: string, file: string, force: boolean): void => {
  if (!force) return linkSync(draft, file)
  // SQLite would apply the log of the replaced file to the new one.
  for (const suffix of companions) rmSync(file + suffix, { force: true })
  renameSync(draft, file)
}

const unwritten = (file: string, error: unknown): unknown => {
  const code = sqliteCode(error) ?? (error instanceof Error && "code" in error ? String(error.code) : undefined)
  if (code === "EEXIST") return new AlreadyExists(`${file} already exists`)
  if (code === undefined || error instanceof DatabaseRefused) return error
  const what = code === "SQLITE_FULL" || code === "ENOSPC" ? "its disk is full" : "check that its folder is there and can be written to"
  return new DatabaseRefused(file, "inaccessible", `the backup cannot be written; ${what} (${code})`, error)
}
