import type { Instant, RowKind } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import type { Sweep } from "@postern/stores"
import { columnName, columnOf } from "@postern/stores/rows"
import type { Database } from "./database.ts"
import type { Tables } from "./load.ts"
import { mostRows } from "./table.ts"

/**
 * Deletes expired rows, oldest first, one slice of each table at a time. The DELETE checks the expiry again, so that a row extended
 * meanwhile is kept.
 */
export const sweeper = (database: Database, { of }: Tables, kinds: ReadonlyArray<RowKind>): ((now: Instant) => Promise<Sweep>) => {
  const leaving = kinds.flatMap(({ name, key, keptUntil, endless }) => {
    if (keptUntil === undefined) return []
    const until = columnOf(keptUntil)
    const due = `${endless ? `${until} > 0 AND ` : ""}${until} <= ?`
    const keys = key.map(columnOf).join(", ")
    return [{ table: of(name), key, look: `SELECT ${keys} FROM ${of(name).name} WHERE ${due} ORDER BY ${until} LIMIT ${mostRows}`, due }]
  })
  const statements = database.alone("sweep")
  return async (asked) => {
    const now = secondsOf("sweep: now: is", asked)
    let removed = 0
    let more = false
    for (const { table, key, look, due } of leaving) {
      const found = await statements.rows(look, [now])
      if (found.length === 0) continue
      const keys = found.map((row) => key.map((member) => row[columnName(member)]))
      removed += await statements.change(`DELETE FROM ${table.name} WHERE ${table.among(key, keys)} AND ${due}`, [...keys.flat(), now])
      more ||= found.length === mostRows
    }
    return { removed, more }
  }
}
