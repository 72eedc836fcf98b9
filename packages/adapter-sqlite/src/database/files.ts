import { accessSync, closeSync, constants, existsSync, fsyncSync, lchownSync, mkdirSync, openSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseRefused } from "@postern/stores"

/** The suffixes of the files that SQLite keeps beside a database in use. */
export const companions = ["-wal", "-shm", "-journal"] as const

/** Removes a file and the files that SQLite keeps beside it, if they exist. */
export const removeWhole = (file: string): void => {
  for (const suffix of ["", ...companions]) {
    try {
      rmSync(file + suffix, { force: true })
    } catch (error) {
      // Below a file there is nothing to remove.
      if (codeOf(error) !== "ENOTDIR") throw error
    }
  }
}

/**
 * Sees to it that a draft is gone also if the process exits in the middle, as a command does at Ctrl-C: it has the same secrets as the
 * database. Returns a function that removes the draft now.
 */
export const passing = (draft: string): (() => void) => {
  const remove = (): void => removeWhole(draft)
  process.once("exit", remove)
  return () => {
    process.off("exit", remove)
    remove()
  }
}

/**
 * Reports whether a database or a backup exists. Throws {@link DatabaseRefused} if this cannot be known, as in a folder that this user may not
 * search: such a file is not missing.
 */
export const databaseExists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return false
    throw unreachable(path, error)
  }
}

/**
 * Makes a directory that only its owner can read, and those above it. Node's own recursive `mkdir` never returns where the system finds no
 * entry below an existing directory, as in `/proc` and below an automounter. Throws the system's error.
 */
export const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, 0o700)
    giveToOwnerOf(dirname(path), path)
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
    if (codeOf(error) !== "ENOENT" || existsSync(dirname(path))) throw error
    makeDirectory(dirname(path))
    makeDirectory(path)
  }
}

/**
 * Gives a file or a directory that root has made to the owner of another one, so that the provider, which seldom runs as root, can open it. A
 * link that has taken its place is not followed.
 */
export const giveToOwnerOf = (known: string, made: string): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(known)
  try {
    lchownSync(made, uid, gid)
  } catch (error) {
    // Root may be nobody in particular, as on NFS and in some containers. Whoever may not open the file is told so.
    if (!["EPERM", "ENOTSUP", "ENOSYS"].includes(codeOf(error))) throw error
  }
}

/** Creates the refusal of a file that this user cannot reach, from the system's error. */
export const unreachable = (path: string, error: unknown): DatabaseRefused =>
  new DatabaseRefused(
    path,
    "inaccessible",
    `the file cannot be reached; check its path and the permissions of its directory (${codeOf(error)})`,
    error,
  )

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

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

/** The time for which the place of a file is not looked at again, in milliseconds. A look costs two microseconds. */
const lookPause = 100

/**
 * Returns a function that reports whether a path still leads to the file that it leads to now. What is written into a file that was removed
 * or replaced while it was open is gone when its last process closes it.
 */
export const stayingFile = (path: string, clock: () => number = () => performance.now()): (() => boolean) => {
  const first = statSync(path, { throwIfNoEntry: false })
  let [stays, lookedAt] = [true, clock()]
  return () => {
    const at = clock()
    if (first === undefined || at - lookedAt < lookPause) return stays
    lookedAt = at
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      stays = found !== undefined && found.ino === first.ino && found.dev === first.dev
    } catch {
      // A folder that may no longer be searched says nothing about the file.
    }
    return stays
  }
}
