import Sqlite, { type Database } from "better-sqlite3"
import { existsSync, readFileSync, statSync } from "node:fs"
import { DatabaseRefused } from "@postern/stores"
import { sqliteCode } from "../database/guarded.ts"
import { refusalOf } from "../database/inspect.ts"
import { refuseUnwritable } from "../database/files.ts"
import { kindOf } from "./header.ts"

/** A database that nobody else can open until this is closed; undefined for one too damaged to be opened at all. */
export type Alone = Database | undefined

/**
 * Takes a database for oneself, or throws {@link DatabaseRefused} where anybody has it open. Every process that has one open in its
 * write-ahead mode holds a shared lock on the file, idle or not, and the system takes that back when the process dies: so an exclusive
 * lock is had exactly when nobody has it open, in this container or another on the machine.
 */
export const takeAlone = (file: string): Alone => {
  if (!existsSync(file)) return undefined
  refuseUnwritable(file)
  // SQLite would take the log of such a file for its whole content.
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

/** SQLite locks nothing that it cannot read; Linux tells of locks that were had before the damage. */
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
