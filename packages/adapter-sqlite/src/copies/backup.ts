import Sqlite from "better-sqlite3"
import type { Instant } from "@postern/core/model"
import { randomUUID } from "node:crypto"
import { closeSync, existsSync, linkSync, openSync, realpathSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { AlreadyExists, DatabaseRefused } from "@postern/stores"
import { sqliteCode } from "../database/guarded.ts"
import { companions, removeWhole, sync } from "../database/files.ts"
import { inspect, refusalOf } from "../database/inspect.ts"
import { rememberBackup } from "../database/lastBackup.ts"
import { backupId, schemaVersion } from "../database/migrate.ts"
import { migrations } from "../database/schema.ts"
import { kindOf } from "./header.ts"

/** Options of making a backup. */
export interface BackupOptions {
  /** Replaces a backup that is there; never a database. */
  readonly force?: boolean
  /** Told how many pages of how many were copied. */
  readonly progress?: (copied: number, all: number) => void
  /** Whole seconds since 1970; the clock of the system when left out. */
  readonly now?: () => Instant
}

/** A backup that was made, checked and is on disk. */
export interface Backup {
  /** The file that was written. */
  readonly file: string
  /** Its size. */
  readonly bytes: number
  /** It holds what was committed by then, and nothing later. */
  readonly takenAt: Instant
  /** The version of its schema. */
  readonly schema: number
  /** The signing keys in it. */
  readonly keys: { /** Number of them. */ readonly all: number; /** Number of sealed ones. */ readonly sealed: number }
  /** True if the database could be told of it, so that it knows its last backup. */
  readonly noted: boolean
}

/** Pages copied before the event loop has its turn: 8 MiB. */
const slice = 2048

/** Milliseconds to wait for a lock that another process holds. */
const patience = 1500

const systemClock = (): Instant => Math.floor(Date.now() / 1000)

/**
 * Copies a database as it is at one moment, while others write to it. The copy is one file, readable by its owner alone; it is made beside
 * its place, checked page by page, and put there once it is on disk. Throws {@link DatabaseRefused}, and {@link AlreadyExists} where
 * there is a file. While it copies the database's log is not cut back, so it grows by what is written meanwhile.
 */
export const backUp = async (path: string, to: string, options: BackupOptions = {}): Promise<Backup> => {
  const file = resolve(to)
  const from = existsSync(path) ? realpathSync(path) : resolve(path)
  refusePlace(file, from, options.force ?? false)
  inspect(from, migrations, patience)
  const draft = `${file}.${randomUUID()}.new`
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
    removeWhole(draft)
  }
}

const refusePlace = (file: string, from: string, force: boolean): void => {
  if (!existsSync(file)) return
  if (["", ...companions].some((suffix) => realpathSync(file) === from + suffix))
    throw new DatabaseRefused(file, "inaccessible", "this is the database itself; name another file for the backup")
  if (!force) throw new AlreadyExists(`${file} already exists`)
  // Not even then: somebody may be serving it.
  if (!statSync(file).isFile() || ["database", "foreign"].includes(kindOf(file)))
    throw new DatabaseRefused(file, "inaccessible", "this is not a backup, and is not replaced by one; name another file")
}

const copied = async (from: string, draft: string, { progress, now = systemClock }: BackupOptions): Promise<Instant> => {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true, timeout: patience })
  try {
    // Without a transaction of its own the copy would begin anew whenever another process commits, and under load never end.
    source.exec("BEGIN")
    schemaVersion(source)
    const takenAt = now()
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

/** Makes the copy one plain file that says it is a backup, and reads every page of it. */
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

/** The backup is good whether or not the database knows of it. */
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
  // A log of the file that was there would be taken for the new one's.
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
