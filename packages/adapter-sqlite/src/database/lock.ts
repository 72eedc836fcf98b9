import type { Database } from "better-sqlite3"

/** Milliseconds for which a thread waits for a lock that the event loop may hold: it never does for longer than a commit in memory. */
export const brief = 25

/**
 * Runs what nobody waits for without waiting for a lock either, or only for so many milliseconds: when another process holds it, it fails
 * with `SQLITE_BUSY`, and everything else goes on. Such work is tried again later.
 */
export const withoutWaiting = <A>(database: Database, run: () => A, most = 0): A => {
  const patience = Number(database.pragma("busy_timeout", { simple: true }))
  database.pragma(`busy_timeout = ${most}`)
  try {
    return run()
  } finally {
    if (database.open) database.pragma(`busy_timeout = ${patience}`)
  }
}
