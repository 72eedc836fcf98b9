import type { Instant, Locator } from "@postern/core/model"
import { locatorTime } from "@postern/core/handle"
import type { Database } from "better-sqlite3"
import { slotTime } from "../database/slots.ts"

/** The key of a table whose rows are ordered by the time they were made. */
export interface MadeInOrder<Key> {
  readonly column: string
  /** A value that sorts before every key. */
  readonly before: string | number
  /** Returns the time at which a row was made, in milliseconds. */
  readonly timeOf: (key: Key) => number
}

/** Orders rows by locator. */
export const locatorsOf = (column: string): MadeInOrder<Locator> => ({ column, before: "", timeOf: locatorTime })

/** Orders rows by slot. `before` is a real number below every integer, so it sorts before every slot. */
export const slots: MadeInOrder<bigint> = { column: "slot", before: -1e19, timeOf: slotTime }

/** A range of a table in key order, from the end of the preceding zone up to and including `upTo`. */
interface Zone<Key> {
  readonly upTo: Key
  readonly rows: number
  /** The time before which none of its rows expires. */
  readonly due: Instant
}

/** Sweeps one zone of a table. Returns the number of deleted rows, or undefined if no zone was due. */
export type SweepZone = (now: Instant) => number | undefined

/** The maximum time until a zone is examined again, in seconds, because a row may have been inserted into it or the clock set back. */
const longest = 3600

/** The same maximum for a young zone, into which another process may still insert rows made just before its last one. */
const young = 60

/**
 * Finds expired rows without an index on `keep_until`. Rows are ordered by the time they were made, so rows of the same lifetime that
 * expire together are adjacent. A zone map in memory holds for each zone the time at which its first row expires, and a zone is read again
 * only then. A process that starts has no map and reads each table once.
 *
 * Measured against the index: a single insert at FULL costs 80 µs instead of 95, one of a group 17 instead of 21, and a row takes 178 bytes
 * instead of 208. Reading a zone of 1,000 rows takes half a millisecond.
 */
export const zoneSweep = <Key extends Locator | bigint>(
  database: Database,
  table: string,
  { column: key, before, timeOf }: MadeInOrder<Key>,
  until: string,
  size: number,
): SweepZone => {
  const survey = database
    .prepare<[Key | string | number, Key], [number, number | null]>(
      `SELECT count(*), min(${until}) FROM ${table} WHERE ${key} > ? AND ${key} <= ?`,
    )
    .raw()
  const edge = database
    .prepare<[Key | string | number, number], Key | null>(
      `SELECT max(${key}) FROM (SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?)`,
    )
    .pluck()
    .safeIntegers()
  const remove = database.prepare(`DELETE FROM ${table} WHERE ${key} > ? AND ${key} <= ? AND ${until} <= ?`)
  const zones: Array<Zone<Key>> = []

  const visit = (at: number, upTo: Key, now: Instant): number => {
    const from = zones[at - 1]?.upTo ?? before
    let [rows, first] = survey.get(from, upTo) ?? [0, null]
    let removed = 0
    if (first !== null && first <= now) {
      removed = remove.run(from, upTo, now).changes
      ;[rows, first] = survey.get(from, upTo) ?? [0, null]
    }
    const again = now + (timeOf(upTo) / 1000 > now - young ? young : longest)
    zones[at] = { upTo, rows, due: Math.min(first ?? again, again) }
    join(at)
    return removed
  }

  /** Merges an empty or small zone with its neighbor, to keep the map small. */
  const join = (at: number): void => {
    for (const first of [at, at - 1]) {
      const [left, right] = [zones[first], zones[first + 1]]
      if (left === undefined || right === undefined || left.rows + right.rows > size) continue
      zones.splice(first, 2, { upTo: right.upTo, rows: left.rows + right.rows, due: Math.min(left.due, right.due) })
    }
  }

  return (now) => {
    const due = zones.findIndex((zone) => zone.due <= now)
    const zone = zones[due]
    if (zone !== undefined) return visit(due, zone.upTo, now)
    const upTo = edge.get(zones.at(-1)?.upTo ?? before, size)
    return upTo === undefined || upTo === null ? undefined : visit(zones.length, upTo, now)
  }
}
