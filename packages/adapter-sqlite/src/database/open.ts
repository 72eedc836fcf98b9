import { type RowKind, rowKinds } from "@postern/core/model"
import { type MemberKinds, memberFaults, refuseFaults, rowKindsFault } from "@postern/core/options"
import { DatabaseRefused } from "@postern/stores"
import Sqlite, { type Database } from "better-sqlite3"
import { randomUUID } from "node:crypto"
import { chmodSync, closeSync, existsSync, linkSync, openSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { databaseExists, giveToOwnerOf, makeDirectory, refuseUnwritable, removeWhole, sync } from "./files.ts"
import { inspect, refusalOf, refuseStranger, remember } from "./inspect.ts"
import { type Migration, migrate, type Progress } from "./migrate.ts"
import { migrations } from "./schema.ts"
import { makeTables } from "./tables.ts"

/** Options of opening a database. */
export interface DatabaseOptions {
  /**
   * The durability of commits. With `FULL`, the default, a commit is on disk before it is answered. With `NORMAL`, a power cut may lose the
   * last commits, but never part of one.
   */
  readonly synchronous?: "FULL" | "NORMAL"
  /** The time to wait for a lock that another process holds, in milliseconds. Defaults to 1500. It blocks the calling thread. */
  readonly busyTimeout?: number
  /** The kinds of rows whose tables are made. Defaults to those of core. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Called as a long migration step progresses. */
  readonly progress?: Progress
  /** The schema's migration steps, for tests. */
  readonly steps?: ReadonlyArray<Migration>
}

/** The kinds of the options of opening a database. */
export const databaseKinds: MemberKinds<DatabaseOptions> = {
  synchronous: "text?",
  busyTimeout: "number?",
  kinds: "own?",
  progress: "function?",
  steps: "objects?",
}

const ways: ReadonlyArray<string | undefined> = [undefined, "FULL", "NORMAL"]

/** Returns the faults of a path and of the way to open it, as text. */
export const placeFaults = (path: string, way: DatabaseOptions["synchronous"]): ReadonlyArray<string> => [
  ...(typeof path === "string" && path !== "" ? [] : ["path: must be the path of a file, or :memory:"]),
  ...(ways.includes(way) ? [] : ["synchronous: must be FULL or NORMAL"]),
]

/** The path of an in-memory database, which lives as long as the process. */
export const inMemory = ":memory:"

/**
 * Opens Postern's database, creates it if it does not exist, and migrates its schema. Only the file's owner can read it. Throws {@link
 * DatabaseRefused} and leaves the file unchanged if it is damaged, foreign, newer, locked or inaccessible.
 */
export const openDatabase = (path: string, options: DatabaseOptions = {}): Database => {
  refuseFaults("openDatabase", memberFaults(options, databaseKinds))
  refuseFaults("openDatabase", placeFaults(path, options.synchronous), rowKindsFault(options.kinds))
  return openPlace(path, options)
}

/** Opens a database by options that were checked before. */
export const openPlace = (path: string, options: DatabaseOptions): Database => {
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
  // SQLite keeps the log beside the file to which a link resolves.
  const file = databaseExists(path) ? realpathSync(path) : resolve(path)
  if (!databaseExists(file)) create(file, steps)
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
    // A restore may have set this file aside after it was inspected.
    refuseStranger(file, database)
    return configured(database, synchronous, steps, progress)
  } catch (error) {
    database?.close()
    throw refusalOf(file, error)
  }
}

/**
 * Removes the permissions of group and others from a file, because a restored backup keeps the mode its copier gave it. SQLite creates the
 * log and its index with the mode of the file. A file owned by another user is left unchanged.
 */
const closeToOthers = (file: string): void => {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const found = statSync(each, { throwIfNoEntry: false })
    if (found === undefined || (found.mode & 0o077) === 0 || found.uid !== process.getuid?.()) continue
    try {
      chmodSync(each, found.mode & 0o700)
    } catch {
      // SQLite reports a file system without modes if it is not writable either.
    }
  }
}

const configured = (database: Database, synchronous: string, steps: ReadonlyArray<Migration>, progress?: Progress): Database => {
  if (!database.memory && database.pragma("journal_mode = WAL", { simple: true }) !== "wal") {
    throw new DatabaseRefused(database.name, "inaccessible", "its file system cannot hold a write-ahead log; use a local disk")
  }
  database.pragma(`synchronous = ${synchronous}`)
  // A log that grew in a burst is truncated to 64 MiB at the next checkpoint.
  database.pragma("journal_size_limit = 67108864")
  database.pragma("trusted_schema = OFF")
  migrate(database, steps, progress)
  return database
}

/**
 * Creates a database beside its path and links it into place once it is complete and on disk. A file at that path is therefore never
 * incomplete, and an empty one is damaged. If another process creates the file first, that file stays.
 */
const create = (file: string, steps: ReadonlyArray<Migration>): void => {
  refuseOrphan(file)
  const draft = `${file}.${randomUUID()}.new`
  try {
    makeDirectory(dirname(file))
    try {
      closeSync(openSync(draft, "wx", 0o600))
      giveToOwnerOf(dirname(file), draft)
      // SQLite creates the log and its index with the mode of the file. Nobody sees the draft, so its steps need no sync of their own.
      const database = new Sqlite(draft)
      database.pragma("synchronous = OFF")
      remember(steps, configured(database, "OFF", steps))
      database.close()
      sync(draft)
      linkSync(draft, file)
      sync(dirname(file))
    } finally {
      removeWhole(draft)
    }
  } catch (error) {
    if (!existsSync(file)) throw unmade(file, error)
  }
}

/** Throws if a log exists without its database, because SQLite would apply it to the new database. */
const refuseOrphan = (file: string): void => {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  // A process that creates the database links it into place before there is a log.
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
