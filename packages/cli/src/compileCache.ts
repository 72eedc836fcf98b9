import { lstatSync, mkdirSync } from "node:fs"
import module from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/**
 * Keeps what the sources were compiled to from one start to the next, where nobody but this user can write: what is found there is run.
 * Node's own place would be the folder for temporary files, where another user may have been first. `NODE_COMPILE_CACHE` names another
 * place, and a service manager does by `CACHE_DIRECTORY`. Without such a place every start compiles anew.
 */
export const keepCompiled = (): void => {
  if (process.env["NODE_COMPILE_CACHE"] !== undefined) return
  const { CACHE_DIRECTORY: ofService, XDG_CACHE_HOME: ofUser } = process.env
  const place = ofService?.split(":")[0] ?? join(ofUser !== undefined && isAbsolute(ofUser) ? ofUser : join(homedir(), ".cache"), "postern")
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 })
    if (isOwn(place)) module.enableCompileCache(place)
  } catch {
    // A user without a home has no such place.
  }
}

/** Reports whether a folder is this user's, and nobody else may write to it. Windows keeps each user's home from the others. */
const isOwn = (folder: string): boolean => {
  const { uid, mode } = lstatSync(folder)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}
