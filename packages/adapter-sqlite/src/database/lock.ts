import type { Database } from "better-sqlite3"

/**
 * Runs what nobody waits for without waiting for a lock either: when another process holds it, it fails with `SQLITE_BUSY` at once, and the
 * event loop goes on. Such work is tried again later.
 */
export const withoutWaiting = <A>(database: Database, run: () => A): A => {
  const patience = Number(database.pragma("busy_timeout", { simple: true }))
  database.pragma("busy_timeout = 0")
  try {
    return run()
  } finally {
    if (database.open) database.pragma(`busy_timeout = ${patience}`)
  }
}
