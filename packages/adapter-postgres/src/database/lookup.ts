import { writtenText } from "@postern/stores/rows"
import type { Database } from "./connect.ts"

/** The table, the columns and the key of a lookup. */
export interface LookupOptions {
  /** The name of the operation in failures. */
  readonly operation: string
  /** The columns in the syntax of a SELECT. */
  readonly columns: string
  readonly from: string
  /** A text column with unique values. */
  readonly key: string
}

type Row = ReadonlyArray<unknown>

/** The maximum number of keys in one statement. */
const most = 100

interface Batch {
  readonly keys: Set<string>
  readonly found: Promise<ReadonlyMap<string, Row>>
}

/** Finds rows by key. Lookups made in one turn of the event loop share one statement, and so one round trip. */
export const lookupOf = (database: Database, { operation, columns, from, key }: LookupOptions) => {
  const one = `SELECT ${columns} FROM ${from} WHERE ${key} = $1`
  const several = `SELECT ${key}, ${columns} FROM ${from} WHERE ${key} = ANY ($1::text::text[])`
  const ask = async (keys: ReadonlyArray<string>): Promise<ReadonlyMap<string, Row>> => {
    const [first = ""] = keys
    if (keys.length > 1)
      return new Map((await database.read(operation, several, [arrayOf(keys)])).map(([name, ...row]) => [String(name), row]))
    const [row] = await database.read(operation, one, [first])
    return new Map(row === undefined ? [] : [[first, row]])
  }
  let open: Batch | undefined
  const begin = (): Batch => {
    const keys = new Set<string>()
    const found = new Promise<void>((turn) => setImmediate(turn)).then(() => {
      if (open === batch) open = undefined
      return ask([...keys])
    })
    const batch = { keys, found }
    return batch
  }
  return async (value: string): Promise<Row | undefined> => {
    if (open === undefined || open.keys.size >= most) open = begin()
    const name = writtenText(value)
    open.keys.add(name)
    return (await open.found).get(name)
  }
}

/** Formats texts as a PostgreSQL array literal. */
const arrayOf = (texts: ReadonlyArray<string>): string => `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`
