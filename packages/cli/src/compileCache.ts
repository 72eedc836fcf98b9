import { lstatSync, mkdirSync } from "node:fs"
import module from "node:module"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

/**
 * Enables Node's compile cache in a folder that only this user can write to, because the cached code is executed. Node's default is the
 * temporary folder, in which another user may have created the cache first. `NODE_COMPILE_CACHE` overrides the folder, and a service
 * manager sets it by `CACHE_DIRECTORY`. Without such a folder every start compiles the sources.
 *
 * A file's cache holds the functions that the first process to load it had called, and stays as it is. So the server and the other commands
 * have one each: a server that finds the cache of `check-config` compiles the rest at every start, 50 ms of CPU.
 */
export const keepCompiled = (use: "serve" | "commands"): void => {
  if (process.env["NODE_COMPILE_CACHE"] !== undefined) return
  const { CACHE_DIRECTORY: ofService, XDG_CACHE_HOME: ofUser } = process.env
  const place = ofService?.split(":")[0] ?? join(ofUser !== undefined && isAbsolute(ofUser) ? ofUser : join(homedir(), ".cache"), "postern")
  try {
    make(dirname(place))
    make(place)
    if (!isOwn(place)) return
    make(join(place, use))
    module.enableCompileCache(join(place, use))
  } catch {
    // A user without a home folder has no cache.
  }
}

/**
 * Makes a folder unless it exists. Node's own recursive `mkdir`, and its compile cache, never return where the system finds no entry below an
 * existing folder, as in `/proc` and below an automounter.
 */
const make = (folder: string): void => {
  try {
    mkdirSync(folder, 0o700)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
}

/**
 * Reports whether a folder belongs to this user and nobody else can write to it. On Windows it always returns true, because home folders
 * are protected there.
 */
const isOwn = (folder: string): boolean => {
  const { uid, mode } = lstatSync(folder)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}
