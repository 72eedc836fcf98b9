import { type RowKind, rowKinds } from "@postern/core/model"
import { DatabaseRefused } from "@postern/stores"
import Sqlite, { type Database } from "better-sqlite3"
import { randomUUID } from "node:crypto"
import { chmodSync, closeSync, existsSync, linkSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { refuseUnwritable, removeWhole, sync } from "./files.ts"
import { inspect, refusalOf, refuseStranger } from "./inspect.ts"
import { type Migration, migrate, type Progress } from "./migrate.ts"
import { migrations } from "./schema.ts"
import { makeTables } from "./tables.ts"

/** Options of opening a database. */
export interface DatabaseOptions {
  /** `FULL`, the default: a commit is on disk before it is answered. `NORMAL`: a power cut may take the last commits, never part of one. */
  readonly synchronous?: "FULL" | "NORMAL"
  /** Milliseconds to wait for a lock that another process holds; 1500 when not given. The calling thread waits with it. */
  readonly busyTimeout?: number
  /** The kinds of row whose tables are made; those of core when left out. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Told of a long step of an upgrade. */
  readonly progress?: Progress
  /** The schema's steps; for tests. */
  readonly steps?: ReadonlyArray<Migration>
}

/** A database that lives as long as the process. */
export const inMemory = ":memory:"

/**
 * Opens Postern's database, makes it if there is none, and brings its schema up to date. The file is readable by its owner alone. Throws
 * {@link DatabaseRefused}, and leaves the file as it was, when it is damaged, foreign, newer, locked or out of reach.
 */
export const openDatabase = (path: string, options: DatabaseOptions = {}): Database => {
  const database = openedAt(path, options)
  try {
    makeTables(database, options.kinds ?? rowKinds)
    return database
  } catch (error) {
    database.close()
    throw refusalOf(path, error)
  }
}

const openedAt = (path: string, options: DatabaseOptions): Database => {
  const { synchronous = "FULL", busyTimeout = 1500, steps = migrations, progress } = options
  if (path === inMemory) return configured(new Sqlite(path), synchronous, steps)
  // SQLite keeps the log beside the file that a link leads to.
  const file = existsSync(path) ? realpathSync(path) : resolve(path)
  if (!existsSync(file)) create(file, steps)
  inspect(file, steps, busyTimeout)
  return opened(file, { busyTimeout, synchronous, steps, progress })
}

interface Opening {
  readonly busyTimeout: number
  readonly synchronous: string
  readonly steps: ReadonlyArray<Migration>
  readonly progress: Progress | undefined
}

const opened = (file: string, { busyTimeout, synchronous, steps, progress }: Opening): Database => {
  let database: Database | undefined
  try {
    closeToOthers(file)
    refuseUnwritable(file)
    database = new Sqlite(file, { fileMustExist: true, timeout: busyTimeout })
    // A restore may have set this very file aside since it was looked at.
    refuseStranger(file, database)
    return configured(database, synchronous, steps, progress)
  } catch (error) {
    database?.close()
    throw refusalOf(file, error)
  }
}

/**
 * Takes away what group and others may do with a file that came from elsewhere: a restored backup has the mode its copier gave it. SQLite
 * gives the log and its index the mode of the file. Where the file is another user's it stays as it is.
 */
const closeToOthers = (file: string): void => {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const found = statSync(each, { throwIfNoEntry: false })
    if (found === undefined || (found.mode & 0o077) === 0 || found.uid !== process.getuid?.()) continue
    try {
      chmodSync(each, found.mode & 0o700)
    } catch {
      // A file system that cannot do that is told of by SQLite, if it cannot be written to either.
    }
  }
}

const configured = (database: Database, synchronous: string, steps: ReadonlyArray<Migration>, progress?: Progress): Database => {
  if (!database.memory && database.pragma("journal_mode = WAL", { simple: true }) !== "wal") {
    throw new DatabaseRefused(database.name, "inaccessible", "its file system cannot hold a write-ahead log; use a local disk")
  }
  database.pragma(`synchronous = ${synchronous}`)
  // The length that a burst gave the log is given back to the file system at the next checkpoint.
  database.pragma("journal_size_limit = 67108864")
  database.pragma("trusted_schema = OFF")
  migrate(database, steps, progress)
  return database
}

/**
 * Makes a database beside its place and links it there once it is whole and on disk. So a file at that place is never half made, and an
 * empty one is a damaged one. When another process was faster its file stays.
 */
const create = (file: string, steps: ReadonlyArray<Migration>): void => {
  refuseOrphan(file)
  const draft = `${file}.${randomUUID()}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      closeSync(openSync(draft, "wx", 0o600))
      // SQLite gives the log and its index the mode of the file.
      configured(new Sqlite(draft), "FULL", steps).close()
      linkSync(draft, file)
      sync(dirname(file))
    } finally {
      removeWhole(draft)
    }
  } catch (error) {
    if (!existsSync(file)) throw unmade(file, error)
  }
}

/** SQLite would play the log of a database that is gone into the new one. */
const refuseOrphan = (file: string): void => {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  // Another process that makes the database has it in its place before there is a log.
  if (log === undefined || log.size === 0 || existsSync(file)) return
  throw new DatabaseRefused(
    file,
    "damaged",
    `the file is gone and its write-ahead log ${file}-wal is not; restore a backup, or move the log away to start without data`,
  )
}

const unmade = (file: string, error: unknown): unknown =>
  error instanceof DatabaseRefused
    ? error
    : new DatabaseRefused(file, "inaccessible", "the file cannot be made; check its directory, its permissions and the free space", error)
