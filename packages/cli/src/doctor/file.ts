import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { type DatabaseRefused, kindOf, unwritable } from "@postern/adapter-sqlite"
import { bytes } from "../terminal/amounts.ts"
import { sizeOf } from "./disk.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

/** Checks the owner and the permissions of the database file. */
export const checkedFile = (path: string): ReadonlyArray<Observation> => {
  const file = realpathSync(path)
  const closed = unwritable(file)
  const others = [file, `${file}-wal`, `${file}-shm`].filter((each) => existsSync(each) && (statSync(each).mode & 0o077) !== 0)
  const stray = [`${file}-wal`, `${file}-shm`].find((each) => existsSync(each) && statSync(each).uid !== statSync(file).uid)
  return [
    ...(closed === undefined
      ? []
      : [
          fault(
            "database.permission",
            `this user cannot write to ${closed}`,
            "run this as the user that runs the provider; if it is, give it the file (chown) and check that the file system is not read-only",
          ),
        ]),
    ...(stray === undefined
      ? []
      : [
          fault(
            "database.owner",
            `${stray} belongs to another user than the database`,
            `give it the same: chown --reference=${file} ${stray}`,
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          warning(
            "database.mode",
            `users other than its owner can open ${others.join(", ")}`,
            `chmod 600 ${others.join(" ")}; the provider does so at its next start`,
          ),
        ]),
    ...(closed === undefined && stray === undefined && others.length === 0
      ? [ok("database.file", `${path}, ${bytes(sizeOf(file))}, readable by its owner only`)]
      : []),
    log(file),
  ]
}

/** The size of the write-ahead log, in bytes, above which something keeps it from being truncated. */
const longLog = 256 * 1024 * 1024

const log = (file: string): Observation => {
  const size = sizeOf(`${file}-wal`)
  return size > longLog
    ? warning(
        "database.log",
        `the write-ahead log has ${bytes(size)}`,
        "a long-running reader keeps it from shrinking: a shell with an open transaction, or a backup that hangs; end it, or restart the provider",
      )
    : ok("database.log", `the write-ahead log has ${bytes(size)}`)
}

/** Returns the remedy for a database that cannot be opened. */
export const refusedHint = (path: string, { reason }: DatabaseRefused): string => {
  switch (reason) {
    case "damaged":
      return "stop the provider, keep a copy of the file, and restore the last backup: postern restore BACKUP --force"
    case "foreign":
      return isBackup(path)
        ? "move it elsewhere, and put it back from there: postern restore BACKUP"
        : "name the folder of Postern's own database in data, or with --data DIR"
    case "older":
      return "start the provider, which upgrades it"
    case "newer":
      return "start the Postern that wrote it, or restore a backup from before the upgrade"
    case "locked":
      return `find the process that has it open and end it: fuser -v ${path}`
    case "inaccessible":
      return `run this as the user that runs the provider; it must be able to read and write ${dirname(path)} and its contents`
  }
}

const isBackup = (path: string): boolean => {
  try {
    return kindOf(path) === "backup"
  } catch {
    return false
  }
}
