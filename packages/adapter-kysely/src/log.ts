import type { Instant, Seconds } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import type { Database, Found, Statements } from "./database.ts"
import { inParts } from "./table.ts"

/** A log of rows in insertion order, for trails or audit events. */
export interface Log {
  /** Inserts rows, each given as its column values. */
  readonly insert: (rows: ReadonlyArray<ReadonlyArray<unknown>>) => Promise<void>
  /** Deletes rows that exceed the maximum age or number, in slices; returns how many. */
  readonly sweep: (now: Instant) => Promise<number>
}

/** The limits of a log, in age and number. */
export interface LogBounds {
  readonly age: Seconds
  readonly most: number
}

/** The maximum number of rows per query. */
export const slice = 500

/** Creates a log on a table with the columns `number`, an auto-increment key, and `at`. */
export const logOn = (
  database: Database,
  table: string,
  { called, columns, otherwise = "" }: { readonly called: string; readonly columns: ReadonlyArray<string>; readonly otherwise?: string },
  { age, most }: LogBounds,
): Log => {
  const inserting = `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(", ")}) VALUES `
  const values = `(${columns.map(() => "?").join(", ")})`
  return {
    insert: async (rows) => {
      // A failed batch is retried, so none of its rows may have been kept. A batch whose COMMIT was not answered may be stored twice.
      await database.transact(`write ${called}`, async ({ change }: Statements) => {
        for (const part of inParts(rows)) await change(inserting + part.map(() => values).join(", ") + otherwise, part.flat())
      })
    },
    sweep: async (asked) => {
      const now = secondsOf("sweep: now: is", asked)
      const { rows, change } = database.alone(`sweep ${called}`)
      const oldest = await rows(`SELECT "number", "at" FROM ${table} ORDER BY "number" LIMIT ${slice}`)
      const [latest] = await rows(`SELECT max("number") AS "latest" FROM ${table}`)
      const over = Number(latest?.["latest"]) - most
      const due = oldest.filter((row) => numberOf(row) <= over || Number(row["at"]) <= now - age)
      const last = due.at(-1)
      return last === undefined ? 0 : change(`DELETE FROM ${table} WHERE "number" <= ?`, [numberOf(last)])
    },
  }
}

/** Returns the number of a row. Some drivers return 64-bit integers as strings or bigints. */
export const numberOf = (row: Found): number => Number(row["number"])
