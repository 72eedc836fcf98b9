import { type CloudflareOptions, type CloudflareStores, d1Stores, objectStores } from "@postern/adapter-cloudflare"
import { afterAll, beforeAll } from "vitest"
import { bridgedD1, bridgedObject } from "./bridge.ts"
import { patience, startWorkerd, type Workerd } from "./workerd.ts"

/** A place in workerd where rows are kept, and how the stores on it are opened from here: each time as another Worker would. */
export const places: ReadonlyArray<
  readonly [name: string, open: (origin: string, options: CloudflareOptions) => Promise<CloudflareStores>]
> = [
  ["D1", (origin, options) => d1Stores(bridgedD1(origin), options)],
  ["a Durable Object", (origin, options) => objectStores(() => bridgedObject(origin, "postern"), options)],
]

/** One workerd for all tests of a file. */
export const sharedWorkerd = (): (() => Workerd) => {
  let workerd: Workerd | undefined
  beforeAll(async () => {
    workerd = await startWorkerd()
  }, patience)
  afterAll(() => workerd?.end())
  return () => {
    if (workerd === undefined) throw new Error("workerd has not started")
    return workerd
  }
}

let opened = 0

/** Options of stores that nobody else has: tables of their own. */
export const apart = (options: CloudflareOptions = {}): CloudflareOptions => ({ prefix: `t${++opened}_`, ...options })

/** Drops all rows of the tables of a prefix. */
export const emptied = async (origin: string, place: string, prefix: string): Promise<void> => {
  const names = `SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ? AND name NOT IN (?, ?)`
  const values = [prefix.length, prefix, `${prefix}about`, `${prefix}guard`]
  if (place === "D1") {
    const database = bridgedD1(origin)
    const found = await database
      .prepare(names)
      .bind(...values)
      .raw()
    await database.batch(found.map(([name]) => database.prepare(`DELETE FROM "${String(name)}"`).bind()))
    return
  }
  const object = bridgedObject(origin, "postern")
  const answer = await object.transact([{ sql: names, values }])
  const found = "rows" in answer ? (answer.rows[0] ?? []) : []
  await object.transact(found.map(([name]) => ({ sql: `DELETE FROM "${String(name)}"`, values: [] })))
}

/** Runs one statement that is not the stores'. */
export const told = async (place: string, origin: string, sql: string): Promise<void> => {
  if (place === "D1") await bridgedD1(origin).prepare(sql).bind().raw()
  else await bridgedObject(origin, "postern").transact([{ sql, values: [] }])
}
