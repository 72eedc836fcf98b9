import type { Instant } from "@postern/core/model"
import type { TrailRow } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"

/** The maximum number of trails that one slice of a sweep deletes. */
const slice = 500

/** Writes trails, and deletes those over the maximum number or age. */
export interface TrailRows {
  readonly insert: (rows: ReadonlyArray<TrailRow>) => void
  /** Deletes up to 500 old trails and returns their number. */
  readonly sweep: (now: Instant) => number
}

/** Prepares the statements that change trails. */
export const trailRows = (database: Database, { most, age }: { readonly most: number; readonly age: number }): TrailRows => {
  const insert = database.prepare(`
    INSERT INTO trails (request_id, at, refused, content) VALUES (?, ?, ?, ?)
    ON CONFLICT (request_id) DO UPDATE SET at = excluded.at, refused = excluded.refused, content = excluded.content`)
  const oldest = database
    .prepare<[number, number, number], number | null>(`
    SELECT max(number) FROM (SELECT number, at FROM trails ORDER BY number LIMIT ?)
    WHERE at <= ? OR number <= (SELECT max(number) FROM trails) - ?`)
    .pluck()
  const remove = database.prepare("DELETE FROM trails WHERE number <= ?")
  const insertAll = database.transaction((rows: ReadonlyArray<TrailRow>): void => {
    for (const row of rows) insert.run(...row)
  })
  return {
    insert: (rows) => insertAll.immediate(rows),
    sweep: (now) => {
      const last = oldest.get(slice, now - age, most)
      return last === undefined || last === null ? 0 : remove.run(last).changes
    },
  }
}
