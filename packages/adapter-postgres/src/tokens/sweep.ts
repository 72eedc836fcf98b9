import type { Instant, RowKind } from "@postern/core/model"
import type { Sweep } from "@postern/stores"
import { columnOf } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"

/** Number of rows of a table that one slice drops. */
const slice = 1000

/** Counted by versions before tries were reserved in the commit; they may still serve beside this one. */
const older = ["tries", "key", "expire", "expire <= $1::bigint * 1000"] as const

/**
 * Drops what has expired, oldest first, a slice of each table at a time. Any number of processes may sweep at once: each passes over the
 * rows that another has locked, so they share the work without waiting.
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
