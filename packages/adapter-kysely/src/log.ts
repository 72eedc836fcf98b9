import type { Instant, Seconds } from "@postern/core/model"
import type { Database, Found, Statements } from "./database.ts"
import { inParts } from "./table.ts"

/** Rows in the order in which they were noted: those of trails, and those of audit events. */
export interface Log {
  /** Inserts rows, each by the values of the columns. */
  readonly insert: (rows: ReadonlyArray<ReadonlyArray<unknown>>) => Promise<void>
  /** Drops rows over age or over number, some hundreds at a time; how many. */
  readonly sweep: (now: Instant) => Promise<number>
}

/** Bounds of a log, in time and number. */
export interface LogBounds {
  readonly age: Seconds
  readonly most: number
}

/** Number of rows that one look takes at most. */
export const slice = 500

/** Rows of one table with the columns `number`, which counts them, and `at`. */
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
      // A batch that failed is written again, so a part of it must not be there already. One whose COMMIT lost its answer may stand there twice.
      await database.transact(`write ${called}`, async ({ change }: Statements) => {
        for (const part of inParts(rows)) await change(inserting + part.map(() => values).join(", ") + otherwise, part.flat())
      })
    },
    sweep: async (now) => {
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

/** The place of a row: some drivers give whole numbers of eight bytes as texts or bigints. */
export const numberOf = (row: Found): number => Number(row["number"])
