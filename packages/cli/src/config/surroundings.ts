import { accessSync, constants, readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** Files and variables that a configuration refers to. */
export interface Surroundings {
  readonly env: (name: string) => string | undefined
  /** The text of a file; undefined when it cannot be read. Relative paths start from the configuration's folder. */
  readonly text: (path: string) => string | undefined
  readonly isReadable: (path: string) => boolean
  readonly absolute: (path: string) => string
  /** The permission bits of a file, or of the configuration's own when none is named; undefined where it has none. */
  readonly modeOf: (path?: string) => number | undefined
}

/** The surroundings of a configuration file on this machine. */
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
    // process.env has the members of every object too: toString is no variable.
    env: (name) => (Object.hasOwn(process.env, name) ? process.env[name] : undefined),
    text: (path) => attempt(() => readFileSync(absolute(path), "utf8")),
    isReadable: (path) => attempt(() => (accessSync(absolute(path), constants.R_OK), statSync(absolute(path)).isFile())) ?? false,
    absolute,
    modeOf: (path) =>
      process.platform === "win32" ? undefined : attempt(() => statSync(path === undefined ? configFile : absolute(path)).mode & 0o777),
  }
}
