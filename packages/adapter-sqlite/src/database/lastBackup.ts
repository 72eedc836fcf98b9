import type { Instant } from "@postern/core/model"
import type { Database } from "better-sqlite3"

/** Records when the last backup was taken. */
export const rememberBackup = (database: Database, takenAt: Instant): void => {
  database
    .prepare("INSERT INTO revisions (name, value) VALUES ('backup', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(takenAt)
}

/** Returns the time of the last backup. In a backup, returns the time it was taken. */
export const lastBackup = (database: Database): Instant | undefined =>
  database.prepare<[], Instant>("SELECT value FROM revisions WHERE name = 'backup'").pluck().get()
