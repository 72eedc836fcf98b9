import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseRefused } from "@postern/stores"

/** The suffixes of the files that SQLite keeps beside a database in use. */
export const companions = ["-wal", "-shm", "-journal"] as const

/** Removes a file and the files that SQLite keeps beside it, if they exist. */
export const removeWhole = (file: string): void => {
  for (const suffix of ["", ...companions]) rmSync(file + suffix, { force: true })
}

/** Syncs a file's content or a directory's entries to disk. */
export const sync = (path: string): void => {
  const opened = openSync(path, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Returns the part of a database or its surroundings that this user cannot write to, if any. */
export const unwritable = (file: string): string | undefined =>
  [file, `${file}-wal`, `${file}-shm`, dirname(file)].find((each) => existsSync(each) && !mayWrite(each))

const mayWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Throws if the database is not writable. SQLite would silently open such a file read-only, and every later write would fail. */
export const refuseUnwritable = (file: string): void => {
  const which = unwritable(file)
  if (which !== undefined)
    throw new DatabaseRefused(
      file,
      "inaccessible",
      `${which === file ? "this user" : `${which}: this user`} cannot write to it, or its file system is read-only; give it to the user that runs Postern`,
    )
}
