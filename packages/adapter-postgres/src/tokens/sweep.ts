import type { Instant } from "@postern/core/model"
import type { Sweep } from "@postern/stores"
import type { Database } from "../database/connect.ts"

/** How many rows of a table one slice drops. */
const slice = 1000

/** Each table of rows that leave: its key, when they leave, and which are due. What is found by its grant leaves before it. */
const leaving: ReadonlyArray<readonly [table: string, key: string, when: string, due: string]> = [
  ...["access_tokens", "refresh_tokens", "codes", "interactions", "devices", "sessions"].map(
    (table) => [table, "locator", "keep_until", "keep_until <= $1"] as const,
  ),
  ["grants", "id", "keep_until", "keep_until <= $1"],
  ["consents", "subject, client_id", "expires_at", "expires_at > 0 AND expires_at <= $1"],
  ["attempts", "key", "reset_at", "reset_at <= $1"],
  // Counted by versions before tries were reserved in the commit; they may still serve beside this one.
  ["tries", "key", "expire", "expire <= $1::bigint * 1000"],
]

/**
 * Drops what has expired, oldest first, a slice of each table at a time. Any number of processes may sweep at once: each passes over the
 * rows that another has locked, so they share the work and nobody waits.
 */
export const sweepOf = (database: Database): ((now: Instant) => Promise<Sweep>) => {
  const statements = leaving.map(
    ([table, key, when, due]) => `DELETE FROM postern.${table} WHERE (${key}) IN (
      SELECT ${key} FROM postern.${table} WHERE ${due} ORDER BY ${when} LIMIT ${slice} FOR UPDATE SKIP LOCKED)`,
  )
  return async (now) => {
    let removed = 0
    let more = false
    for (const sql of statements) {
      const { count } = await database.write("sweep", sql, [now])
      removed += count
      more ||= count === slice
    }
    return { removed, more }
  }
}
