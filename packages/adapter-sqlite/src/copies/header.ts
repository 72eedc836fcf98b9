import { closeSync, openSync, readSync } from "node:fs"
import { applicationId, backupId } from "../database/migrate.ts"

/** The kind of a file by its first bytes: Postern's database, a backup of one, another program's database, or no database. */
export type FileKind = "database" | "backup" | "foreign" | "none"

/** Reads the kind of a file from its header, without opening it as a database. Throws the system's error if it cannot be read. */
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
