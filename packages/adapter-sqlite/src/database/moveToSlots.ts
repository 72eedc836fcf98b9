import type { Database } from "better-sqlite3"
import { DatabaseRefused } from "@postern/stores"
import { displaced, slotOf, slotsOfOne } from "./slots.ts"
import type { Progress } from "./migrate.ts"

/** The number of rows that one statement moves. */
const stretch = 50_000

/**
 * Moves the rows of a table ordered by locator into one ordered by slot. A row whose slot is taken goes into the next free slot of those
 * that are searched for it. Throws `DatabaseRefused` if none of them is free.
 */
export const moveToSlots = (database: Database, from: string, to: string, progress: Progress): void => {
  const columns = database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(from).join(", ")
  database.function("slot_of", { deterministic: true }, (locator: string, further: number) => displaced(slotOf(locator), further))
  const next = database
    .prepare<[string, number], [string | null, number]>(
      `SELECT max(locator), count(*) FROM (SELECT locator FROM ${from} WHERE locator > ? ORDER BY locator LIMIT ?)`,
    )
    .raw()
  const within = `FROM ${from} AS old WHERE old.locator > ? AND old.locator <= ?`
  const insert = `INSERT INTO ${to} (slot, ${columns}) SELECT slot_of(old.locator, ?), ${columns} ${within}`
  const move = database.prepare<[number, string, string]>(`${insert} ON CONFLICT DO NOTHING`)
  const moveLeft = database.prepare<[number, string, string]>(
    `${insert} AND NOT EXISTS (
       SELECT 1 FROM ${to} AS new WHERE new.slot BETWEEN slot_of(old.locator, 0) AND slot_of(old.locator, ${slotsOfOne - 1}) AND new.locator = old.locator
     ) ON CONFLICT DO NOTHING`,
  )
  const all = database.prepare<[], number>(`SELECT count(*) FROM ${from}`).pluck().get() ?? 0
  let moved = 0
  let after = ""
  for (;;) {
    const [upTo, count] = next.get(after, stretch) ?? [null, 0]
    if (upTo === null) break
    let there = move.run(0, after, upTo).changes
    for (let further = 1; there < count && further < slotsOfOne; further++) there += moveLeft.run(further, after, upTo).changes
    if (there < count)
      throw new DatabaseRefused(database.name, "damaged", `more than ${slotsOfOne} of its ${to} were made at one moment by one chance`)
    moved += count
    after = upTo
    progress(moved, all)
  }
}
