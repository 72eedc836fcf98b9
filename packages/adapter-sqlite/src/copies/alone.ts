import Sqlite, { type Database } from "better-sqlite3"
import { readFileSync, statSync } from "node:fs"
import { DatabaseRefused } from "@postern/stores"
import { sqliteCode } from "../database/guarded.ts"
import { refusalOf } from "../database/inspect.ts"
import { databaseExists, refuseUnwritable } from "../database/files.ts"
import { kindOf } from "./header.ts"

/** A database that no other process can open until this one closes it, or undefined if it is too damaged to be opened. */
export type Alone = Database | undefined

/**
 * Opens a database exclusively, or throws {@link DatabaseRefused} if any process has it open. Every process that has a database open in WAL
 * mode holds a shared lock on the file, even while idle, and the system releases the lock when the process dies. An exclusive lock is
 * therefore granted exactly if no process has the database open, in this container or in another on the machine.
 */
export const takeAlone = (file: string): Alone => {
  if (!databaseExists(file)) return undefined
  refuseUnwritable(file)
  // SQLite would treat the log as the whole content of such a file.
  if (kindOf(file) === "none") return unreadable(file)
  const database = new Sqlite(file, { fileMustExist: true, timeout: 500 })
  try {
    database.pragma("locking_mode = EXCLUSIVE")
    database.exec("BEGIN EXCLUSIVE; COMMIT")
    return database
  } catch (error) {
    database.close()
    const code = sqliteCode(error) ?? ""
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) throw inUse(file)
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) throw refusalOf(file, error)
    return unreadable(file)
  }
}

/**
 * Throws if the unreadable file is locked. SQLite locks no file that it cannot read, but Linux still lists the locks taken before the
 * damage.
 */
const unreadable = (file: string): undefined => {
  if (isLocked(file)) throw inUse(file)
}

const inUse = (file: string): DatabaseRefused =>
  new DatabaseRefused(file, "locked", "a process has it open; stop the provider that serves it first, and restore then")

const isLocked = (file: string): boolean => {
  try {
    const { ino } = statSync(file)
    return readFileSync("/proc/locks", "utf8")
      .split("\n")
      .some((line) => line.split(/\s+/).some((word) => word.endsWith(`:${ino}`)))
  } catch {
    return false
  }
}
