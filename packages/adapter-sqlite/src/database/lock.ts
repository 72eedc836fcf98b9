import type { Database } from "better-sqlite3"

/**
 * The maximum time that a thread waits for a lock that the event loop may hold, in milliseconds. The event loop holds it no longer than a
 * commit in memory takes.
 */
export const brief = 25

/**
 * Runs background work without waiting for a lock, or waiting at most the given number of milliseconds. If another process holds the lock,
 * it fails with `SQLITE_BUSY`, so that nothing else is delayed. Such work is retried later.
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
