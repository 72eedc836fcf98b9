import { accessSync, constants, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { bytesOf } from "./bytes.ts"

/** The files and variables to which a configuration refers. */
export interface Surroundings {
  readonly env: (name: string) => string | undefined
  /** Returns the text of a file, or undefined if it cannot be read. Relative paths are resolved against the configuration's folder. */
  readonly text: (path: string) => string | undefined
  readonly isReadable: (path: string) => boolean
  readonly absolute: (path: string) => string
  /** Returns the permission bits of a file, by default of the configuration file; undefined if there are none. */
  readonly modeOf: (path?: string) => number | undefined
}

/** Returns the surroundings of a configuration file on this machine. */
export const surroundingsOf = (configFile: string): Surroundings => {
  const absolute = (path: string): string => resolve(dirname(resolve(configFile)), path)
  const attempt = <A>(run: () => A): A | undefined => {
    try {
      return run()
    } catch {
      return undefined
    }
  }
  return {
    // process.env inherits members such as toString, which are not variables.
    env: (name) => (Object.hasOwn(process.env, name) ? process.env[name] : undefined),
    text: (path) => attempt(() => bytesOf(absolute(path)).toString("utf8")),
    isReadable: (path) => attempt(() => (accessSync(absolute(path), constants.R_OK), statSync(absolute(path)).isFile())) ?? false,
    absolute,
    modeOf: (path) =>
      process.platform === "win32" ? undefined : attempt(() => statSync(path === undefined ? configFile : absolute(path)).mode & 0o777),
  }
}
