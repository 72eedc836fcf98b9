import { type Instant, type RowKind, uses } from "@postern/core/model"
import type { Sweep } from "@postern/stores"
import { columnOf, identifier } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { locatorsOf, slots, type SweepZone, zoneSweep } from "./zones.ts"

/** The maximum number of rows of a table that one slice examines. */
const slice = 400

/** Prepares the sweep of every kind of row that expires. Each call sweeps one slice of each table. */
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

/** Sweeps a table that has an index on the time at which its rows expire. */
const indexSweep = (database: Database, table: string, keys: string, until: string, endless: boolean): SweepZone => {
  const due = `FROM ${table} WHERE ${endless ? `${until} > 0 AND ` : ""}${until} <= ? LIMIT`
  // The read first avoids taking the write lock when there is nothing to delete.
  const any = database.prepare(`SELECT 1 ${due} 1`)
  const remove = database.prepare(`DELETE FROM ${table} WHERE (${keys}) IN (SELECT ${keys} ${due} ?)`)
  return (now) => (any.get(now) === undefined ? undefined : remove.run(now, slice).changes)
}
