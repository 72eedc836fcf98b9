import type { Instant, Locator } from "@postern/core/model"
import { locatorTime } from "@postern/core/handle"
import type { Database } from "better-sqlite3"
import { slotTime } from "../database/slots.ts"

/** The key of a table whose rows lie in the order they were made. */
export interface MadeInOrder<Key> {
  readonly column: string
  /** Sorts before every key. */
  readonly before: string | number
  /** The time a row was made at, in milliseconds. */
  readonly timeOf: (key: Key) => number
}

/** Locators. */
export const locatorsOf = (column: string): MadeInOrder<Locator> => ({ column, before: "", timeOf: locatorTime })

/** Slots. A real number below all whole ones sorts before each of them. */
export const slots: MadeInOrder<bigint> = { column: "slot", before: -1e19, timeOf: slotTime }

/** A stretch of a table in the order of its keys, up to and with a key, from where the zone before it ends. */
interface Zone<Key> {
  readonly upTo: Key
  readonly rows: number
  /** No row of it need leave before. */
  readonly due: Instant
}

/** Sweeps one table, a stretch at a time: how many rows it dropped, or undefined when there was nothing to look at. */
export type SweepZone = (now: Instant) => number | undefined

/** A zone is looked at again after this long whatever it held: a row may have been inserted into it, or the clock put back. */
const longest = 3600

/** The same while it is young, when rows made a moment before its last one may still arrive from another process. */
const young = 60

/**
 * Finds expired rows without an index on `keep_until`. Rows lie in the order they were made, so those that expire together lie together,
 * lifetime by lifetime; a zone map in memory remembers of each stretch of rows when the first of them expires, and a stretch is read again
 * only then. A process that starts knows nothing and reads each table once.
 *
 * Measured against the index: an insert of its own at FULL costs 80 µs instead of 95, one of a group 17 instead of 21, and a row 178 bytes
 * instead of 208; a stretch of 1,000 rows is read in half a millisecond.
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

  /** Keeps the map small: an empty or small zone becomes part of its neighbour. */
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
