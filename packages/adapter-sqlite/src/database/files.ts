import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseRefused } from "@postern/stores"

/** Files that SQLite keeps beside a database while it is in use. */
export const companions = ["-wal", "-shm", "-journal"] as const

/** Removes a file and what SQLite keeps beside it, as far as they are there. */
export const removeWhole = (file: string): void => {
  for (const suffix of ["", ...companions]) rmSync(file + suffix, { force: true })
}

/** Waits until what was written to a file, or which files a directory names, is on disk. */
export const sync = (path: string): void => {
  const opened = openSync(path, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Names the part of a database and its surroundings that this user may not write to, if any. */
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

/** SQLite opens what it may not write to for reading, without a word, and every write fails from then on. */
export const refuseUnwritable = (file: string): void => {
  const which = unwritable(file)
  if (which !== undefined)
    throw new DatabaseRefused(
      file,
      "inaccessible",
      `${which === file ? "this user" : `${which}: this user`} cannot write to it, or its file system is read-only; give it to the user that runs Postern`,
    )
}
