import Sqlite, { type Database } from "better-sqlite3"
import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import { randomUUID } from "node:crypto"
import { chmodSync, chownSync, copyFileSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { AlreadyExists, DatabaseRefused } from "@postern/stores"
import { sqliteCode } from "../database/guarded.ts"
import { companions, removeWhole, sync, unwritable } from "../database/files.ts"
import { applicationId, backupId, schemaVersion } from "../database/migrate.ts"
import { openDatabase } from "../database/open.ts"
import { migrations } from "../database/schema.ts"
import { type Alone, takeAlone } from "./alone.ts"
import { lastBackup, rememberBackup } from "../database/lastBackup.ts"
import { contentOf } from "./content.ts"
import { kindOf } from "./header.ts"
import type { Invalidated, Kept } from "@postern/stores"
import { invalidate } from "./invalidate.ts"

/** Options of restoring a backup. */
export interface RestoreOptions {
  /** Takes the place of a database that is there; that one is set aside. */
  readonly force?: boolean
  /** The rows that stay valid. */
  readonly kept?: Kept
  /** The kinds of row that the database keeps; those of core when left out. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Changes the database before it is put in place, such as by adding signing keys. */
  readonly also?: (database: Database) => Promise<void>
  /** Whole seconds since 1970; the clock of the system when left out. */
  readonly now?: () => Instant
}

/** A database that was put back. */
export interface Restored {
  /** The file that was put in place. */
  readonly file: string
  /** The file of the database that was there before; it may be restored like a backup unless it was damaged. */
  readonly aside: string | undefined
  /** The moment at which the copy was taken; undefined for one that was not made by {@link backUp}. */
  readonly takenAt: Instant | undefined
  /** The version of its schema, as it came and as it is. */
  readonly schema: { /** The schema version of the backup. */ readonly from: number; /** The schema version now. */ readonly to: number }
  /** The counts of rows that were ended. */
  readonly invalidated: Invalidated
}

/** The sessions cannot be kept: the database was written to after the copy was taken. */
export class WrittenSince extends Error {
  override readonly name = "WrittenSince"
}

const systemClock = (): Instant => Math.floor(Date.now() / 1000)

/**
 * Puts a backup in a database's place. The backup is copied beside that place, read page by page, brought to this version's schema, and
 * what may have been spent or revoked since is made unusable ({@link invalidate}); then one rename puts it there, so that whatever happens
 * there is the old database or the new. Nobody can open the old one meanwhile. Throws {@link DatabaseRefused} for a backup that will not do
 * and for a database in use, {@link AlreadyExists} where there is one, {@link WrittenSince}.
 */
export const restore = async (backup: string, path: string, options: RestoreOptions = {}): Promise<Restored> => {
  const { force = false, kept = { sessions: false, consents: false }, also, kinds = rowKinds, now = systemClock } = options
  const file = existsSync(path) ? realpathSync(path) : resolve(path)
  const from = readable(backup)
  if (from === file)
    throw new DatabaseRefused(from, "inaccessible", "the backup is in the database's place; move it elsewhere and restore it from there")
  if (existsSync(file)) {
    if (!force) throw new AlreadyExists(`there is a database at ${file} already`)
    refuseStrangersPlace(file)
  }
  const draft = `${file}.${randomUUID()}.new`
  let old: Alone
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
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
    own(draft, file)
    sync(draft)
    const aside = put(draft, file, old, now())
    return { file, aside, takenAt, schema: { from: schema, to: migrations.length }, invalidated }
  } catch (error) {
    throw failure(file, error)
  } finally {
    old?.close()
    removeWhole(draft)
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

/** Whatever is there is set aside, but not what another program may be using. */
const refuseStrangersPlace = (file: string): void => {
  if (!statSync(file).isFile()) throw new DatabaseRefused(file, "inaccessible", "this is not a file")
  if (kindOf(file) === "foreign")
    throw new DatabaseRefused(file, "foreign", "this is a database of another program; name Postern's own place with --data")
}

const copy = (from: string, draft: string): void => {
  const byHand = kindOf(from) === "database"
  // One that is being written to cannot be copied file by file.
  if (byHand && unwritable(from) === undefined) takeAlone(from)?.close()
  copyFileSync(from, draft)
  chmodSync(draft, 0o600)
  // A file that was copied by hand may have its last commits in its log.
  if (byHand && existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${draft}-wal`)
}

/** Reads every page of the copy, and makes it a database again. */
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

/** A database restored by root still has to be opened by the user whose provider it is. */
const own = (draft: string, file: string): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(existsSync(file) ? file : dirname(file))
  chownSync(draft, uid, gid)
}

const put = (draft: string, file: string, old: Alone, now: Instant): string | undefined => {
  const at = new Date(now * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replaceAll(/[-:]/g, "")
    .replace("T", "-")
  const aside = existsSync(file) ? `${file}.${at}.aside` : undefined
  const wasOurs = old !== undefined && setAside(old, now)
  // A log that stays beside the place would be taken for the new database's.
  for (const suffix of companions) {
    if (!existsSync(file + suffix)) continue
    if (suffix === "-wal" && old === undefined) renameSync(file + suffix, `${aside ?? `${file}.${at}.aside`}-wal`)
    else rmSync(file + suffix)
  }
  try {
    // The place is never empty: a provider that starts in between would make a new database there.
    if (aside !== undefined) linkSync(file, aside)
    ;(aside === undefined ? linkSync : renameSync)(draft, file)
  } catch (error) {
    if (wasOurs) old?.pragma(`application_id = ${applicationId}`)
    throw error
  }
  sync(dirname(file))
  return aside
}

/** Makes the old database one file, and a backup: whoever opened its file a moment ago and waits for its lock is told so. Whether it was a database. */
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
  if (code === "EEXIST") return new AlreadyExists(`there is a database at ${file} already`)
  const what = code === "SQLITE_FULL" || code === "ENOSPC" ? "its disk is full" : "check that its folder can be written to"
  return new DatabaseRefused(file, "inaccessible", `nothing was restored; ${what} (${code})`, error)
}
