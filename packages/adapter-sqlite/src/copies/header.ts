import { closeSync, openSync, readSync } from "node:fs"
import { applicationId, backupId } from "../database/migrate.ts"

/** Tells by a file's first bytes if it is a database of ours, one of another program, or none. */
export type FileKind = "database" | "backup" | "foreign" | "none"

/** Tells a database of Postern from a backup of one, without opening either. Throws what the system reports when it cannot be read. */
export const kindOf = (file: string): FileKind => {
  const header = Buffer.alloc(72)
  const opened = openSync(file, "r")
  try {
    if (readSync(opened, header, 0, 72, 0) < 72) return "none"
  } finally {
    closeSync(opened)
  }
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") return "none"
  const id = header.readInt32BE(68)
  return id === applicationId ? "database" : id === backupId ? "backup" : "foreign"
}
