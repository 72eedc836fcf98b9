import { type Instant, type RowKind, uses } from "@postern/core/model"
import type { Sweep } from "@postern/stores"
import { columnOf, identifier } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { locatorsOf, slots, type SweepZone, zoneSweep } from "./zones.ts"

/** Number of rows of a table that one slice looks at. */
const slice = 400

/** Prepares the sweep of every kind of row that leaves; one call is one slice of each. */
export const sweepOf = (database: Database, kinds: ReadonlyArray<RowKind>): ((now: Instant) => Sweep) => {
  const sweeps = kinds.flatMap(({ name, key, ordered, slotted, keptUntil, endless }) => {
    if (keptUntil === undefined) return []
    const table = identifier(name)
    const keys = name === uses.name ? "number" : key.map(columnOf).join(", ")
    const until = columnOf(keptUntil)
    if (!ordered) return [indexSweep(database, table, keys, until, endless)]
    if (slotted === true) return [zoneSweep(database, table, slots, until, slice)]
    return [zoneSweep(database, table, locatorsOf(keys), until, slice)]
  })
  return (now) => {
    const dropped = sweeps.map((sweep) => sweep(now))
    return {
      removed: dropped.reduce((sum: number, removed) => sum + (removed ?? 0), 0),
      more: dropped.some((removed) => removed !== undefined),
    }
  }
}

/** Sweeps a table that has an index of the moments its rows leave at. */
const indexSweep = (database: Database, table: string, keys: string, until: string, endless: boolean): SweepZone => {
  const due = `FROM ${table} WHERE ${endless ? `${until} > 0 AND ` : ""}${until} <= ? LIMIT`
  // Asked first, so that a slice with nothing to drop takes no write lock.
  const any = database.prepare(`SELECT 1 ${due} 1`)
  const remove = database.prepare(`DELETE FROM ${table} WHERE (${keys}) IN (SELECT ${keys} ${due} ?)`)
  return (now) => (any.get(now) === undefined ? undefined : remove.run(now, slice).changes)
}
