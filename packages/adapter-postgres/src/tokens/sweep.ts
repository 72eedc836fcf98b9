import type { Instant, RowKind } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import type { Sweep } from "@postern/stores"
import { columnOf } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"

/** The maximum number of rows of a table that one slice deletes. */
const slice = 1000

/** The counts of versions that did not yet reserve tries in the commit. Such versions may still run beside this one. */
const older = ["tries", "key", "expire", "expire <= $1::bigint * 1000"] as const

/**
 * Deletes expired rows, oldest first, one slice of each table at a time. Any number of processes may sweep at once. Each skips the rows
 * that another has locked, so they share the work without waiting.
 */
export const sweepOf = (database: Database, kinds: ReadonlyArray<RowKind>): ((now: Instant) => Promise<Sweep>) => {
  const leaving = kinds.flatMap(({ name, key, keptUntil, endless }) => {
    if (keptUntil === undefined) return []
    const when = columnOf(keptUntil)
    return [[name, key.map(columnOf).join(", "), when, `${endless ? `${when} > 0 AND ` : ""}${when} <= $1`] as const]
  })
  const statements = [...leaving, older].map(
    ([table, key, when, due]) => `DELETE FROM postern.${table} WHERE (${key}) IN (
      SELECT ${key} FROM postern.${table} WHERE ${due} ORDER BY ${when} LIMIT ${slice} FOR UPDATE SKIP LOCKED)`,
  )
  return async (asked) => {
    const now = secondsOf("sweep: now: is", asked)
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
