import Sqlite, { type Database } from "better-sqlite3"
import { type Instant, rowKinds } from "@postern/core/model"
import { inSeconds, kindFault, type MemberKinds, memberFaults, refuseFaults, rowKindsFault } from "@postern/core/options"
import { randomUUID } from "node:crypto"
import { chmodSync, copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { AlreadyExists, DatabaseRefused } from "@postern/stores"
import { sqliteCode } from "../database/guarded.ts"
import { companions, databaseExists, giveToOwnerOf, makeDirectory, passing, sync, unwritable } from "../database/files.ts"
import { applicationId, backupId, schemaVersion } from "../database/migrate.ts"
import { openDatabase } from "../database/open.ts"
import { migrations } from "../database/schema.ts"
import { type Alone, takeAlone } from "./alone.ts"
import { lastBackup, rememberBackup } from "../database/lastBackup.ts"
import { contentOf } from "./content.ts"
import { kindOf } from "./header.ts"
import type { Invalidated } from "@postern/stores"
import { keptKinds, type RestoredOptions, restoredKinds, systemClock } from "@postern/stores/rows"
import { invalidate } from "./invalidate.ts"

/** Options of restoring a backup. */
export interface RestoreOptions extends RestoredOptions<Database> {
  /** Replaces an existing database, which is set aside. */
  readonly force?: boolean
}

const optionKinds: MemberKinds<RestoreOptions> = { ...restoredKinds, force: "boolean?" }

/** The result of a restore. */
export interface Restored {
  /** The restored file. */
  readonly file: string
  /** The file to which the previous database was moved. It can be restored like a backup, unless it was damaged. */
  readonly aside: string | undefined
  /** The time at which the copy was taken, or undefined if it was not made by {@link backUp}. */
  readonly takenAt: Instant | undefined
  /** The schema versions before and after the restore. */
  readonly schema: { /** The schema version of the backup. */ readonly from: number; /** The schema version now. */ readonly to: number }
  /** The counts of invalidated rows. */
  readonly invalidated: Invalidated
}

/** Thrown when sessions cannot be kept because the database was written to after the copy was taken. */
export class WrittenSince extends Error {
  override readonly name = "WrittenSince"
}

/**
 * Replaces a database with a backup. The backup is copied beside the database, verified page by page, and migrated to this version's
 * schema. Everything that may have been spent or revoked since is invalidated ({@link invalidate}). One rename then puts it in place, so
 * that a crash leaves either the old database or the new one. No other process can open the old one meanwhile. Throws {@link
 * DatabaseRefused} for an unusable backup and for a database in use, {@link AlreadyExists} if there is a database and `force` is not set,
 * and {@link WrittenSince}.
 */
export const restore = async (backup: string, path: string, options: RestoreOptions = {}): Promise<Restored> => {
  refuseFaults("restore", kindFault("backup", backup, "text"), kindFault("path", path, "text"), memberFaults(options, optionKinds))
  const { force = false, kept = { sessions: false, consents: false }, also, kinds = rowKinds } = options
  refuseFaults("restore", memberFaults(kept, keptKinds, "kept."), rowKindsFault(kinds))
  const now = inSeconds("restore", options.now ?? systemClock)
  const file = databaseExists(path) ? realpathSync(path) : resolve(path)
  const from = readable(backup)
  if (from === file)
    throw new DatabaseRefused(from, "inaccessible", "the backup is in the database's place; move it elsewhere and restore it from there")
  if (databaseExists(file)) {
    if (!force) throw new AlreadyExists(`there is a database at ${file} already`)
    refuseStrangersPlace(file)
  }
  const draft = `${file}.${randomUUID()}.new`
  const removeDraft = passing(draft)
  let old: Alone
  try {
    makeDirectory(dirname(file))
    old = takeAlone(file)
    copy(from, draft)
    const { takenAt, schema } = readied(from, draft)
    const opened = openDatabase(draft, { synchronous: "NORMAL", kinds })
    const made = async (): Promise<Invalidated> => {
      if (kept.sessions) refuseWritten(opened, old)
      const invalidated = invalidate(opened, kept, now(), kinds)
      await also?.(opened)
      return invalidated
    }
    const invalidated = await made().finally(() => opened.close())
    giveToOwnerOf(existsSync(file) ? file : dirname(file), draft)
    sync(draft)
    const aside = put(draft, file, old, now())
    return { file, aside, takenAt, schema: { from: schema, to: migrations.length }, invalidated }
  } catch (error) {
    throw failure(file, error)
  } finally {
    old?.close()
    removeDraft()
  }
}

const readable = (backup: string): string => {
  try {
    const found = realpathSync(backup)
    if (statSync(found).isFile() && ["database", "backup"].includes(kindOf(found))) return found
  } catch (error) {
    throw new DatabaseRefused(resolve(backup), "inaccessible", "the backup cannot be read; check that it is there and may be read", error)
  }
  throw new DatabaseRefused(resolve(backup), "damaged", "this is no backup of Postern, or its beginning is damaged; try an earlier one")
}

/** Throws if the path is not a file or holds another program's database. Any other file may be set aside. */
const refuseStrangersPlace = (file: string): void => {
  if (!statSync(file).isFile()) throw new DatabaseRefused(file, "inaccessible", "this is not a file")
  if (kindOf(file) === "foreign")
    throw new DatabaseRefused(file, "foreign", "this is a database of another program; name Postern's own place with --data")
}

const copy = (from: string, draft: string): void => {
  const byHand = kindOf(from) === "database"
  // A database that is being written to cannot be copied file by file.
  if (byHand && unwritable(from) === undefined) takeAlone(from)?.close()
  copyFileSync(from, draft)
  chmodSync(draft, 0o600)
  // The last commits of a file copied by hand may be in its log.
  if (byHand && existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${draft}-wal`)
}

/** Verifies every page of the copy and marks it as a database again. */
const readied = (from: string, draft: string): { readonly takenAt: Instant | undefined; readonly schema: number } => {
  const isBackup = kindOf(draft) === "backup"
  try {
    const database = new Sqlite(draft, { fileMustExist: true })
    try {
      const schema = schemaVersion(database)
      if (schema > migrations.length)
        throw new DatabaseRefused(
          from,
          "newer",
          `its schema is version ${schema} and this Postern knows versions up to ${migrations.length}; restore it with the newer Postern that wrote it`,
        )
      if (schema === 0 || database.pragma("integrity_check(1)", { simple: true }) !== "ok") throw damaged(from)
      database.pragma(`application_id = ${applicationId}`)
      return { takenAt: isBackup ? lastBackup(database) : undefined, schema }
    } finally {
      database.close()
    }
  } catch (error) {
    throw /^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCode(error) ?? "") ? damaged(from, error) : error
  }
}

const damaged = (from: string, cause?: unknown): DatabaseRefused =>
  new DatabaseRefused(from, "damaged", "the backup is damaged; restore an earlier one", cause)

const refuseWritten = (restored: Database, old: Alone): void => {
  if (old === undefined || schemaVersion(old) !== migrations.length) return
  if (contentOf(restored) !== contentOf(old))
    throw new WrittenSince("the database that is there was written to after the copy was taken, so its sessions cannot be kept")
}

/** Returns a free name for the old database. Another one may have been set aside within the same second. */
const asideOf = (file: string, now: Instant): string => {
  const at = new Date(now * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replaceAll(/[-:]/g, "")
    .replace("T", "-")
  for (let count = 1; ; count++) {
    const name = `${file}.${count === 1 ? at : `${at}-${count}`}.aside`
    if (!existsSync(name) && !existsSync(`${name}-wal`)) return name
  }
}

const put = (draft: string, file: string, old: Alone, now: Instant): string | undefined => {
  const free = asideOf(file, now)
  const aside = existsSync(file) ? free : undefined
  const wasOurs = old !== undefined && setAside(old, now)
  // SQLite would apply a log left beside the path to the new database.
  for (const suffix of companions) {
    if (!existsSync(file + suffix)) continue
    if (suffix === "-wal" && old === undefined) renameSync(file + suffix, `${free}-wal`)
    else rmSync(file + suffix)
  }
  try {
    // The path always holds a file, because a provider starting meanwhile would create a new database there.
    if (aside !== undefined) linkSync(file, aside)
    ;(aside === undefined ? linkSync : renameSync)(draft, file)
  } catch (error) {
    if (wasOurs) old?.pragma(`application_id = ${applicationId}`)
    throw error
  }
  sync(dirname(file))
  return aside
}

/**
 * Turns the old database into a single file marked as a backup, so that a process already waiting for its lock is refused. Reports whether
 * it was a Postern database.
 */
const setAside = (old: Database, now: Instant): boolean => {
  const isOurs = old.pragma("application_id", { simple: true }) === applicationId
  old.pragma("journal_mode = DELETE")
  const mark = old.transaction((): void => {
    rememberBackup(old, now)
    old.pragma(`application_id = ${backupId}`)
  })
  if (isOurs) mark()
  return isOurs
}

const failure = (file: string, error: unknown): unknown => {
  const code = sqliteCode(error) ?? (error instanceof Error && "code" in error && "syscall" in error ? String(error.code) : undefined)
  if (code === undefined || error instanceof DatabaseRefused) return error
  // A file in the place of the folder exists, too.
  if (code === "EEXIST" && !(error instanceof Error && "syscall" in error && error.syscall === "mkdir"))
    return new AlreadyExists(`there is a database at ${file} already`)
  const what = code === "SQLITE_FULL" || code === "ENOSPC" ? "its disk is full" : "check that its folder can be written to"
  return new DatabaseRefused(file, "inaccessible", `nothing was restored; ${what} (${code})`, error)
}
