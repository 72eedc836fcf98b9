import { inMemory, openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { memoryTokenStore } from "@postern/core/memory"
import type { Awaitable } from "@postern/core/ports"
import { afterAll } from "vitest"
import { emptied, postgresServer } from "../support/postgres.ts"
import type { StoreSubject } from "./actor.ts"

/** A store that the model is held against, and how often: as much as a few seconds allow. */
export interface StoreUnderTest {
  readonly name: string
  readonly runs: number
  readonly open: () => Awaitable<StoreSubject>
}

const postgres = postgresServer()

/** As many servers would: one database, opened three times. */
const openThrice = async () => {
  const url = await (await postgres()).database()
  return Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
}
let opened: ReturnType<typeof openThrice> | undefined
// Runs before the server's own end: hooks run last first.
afterAll(async () => {
  for (const database of (await opened) ?? []) await database.close()
})

/** Every store there is. */
export const stores: ReadonlyArray<StoreUnderTest> = [
  {
    name: "memory",
    runs: 1000,
    open: () => {
      const store = memoryTokenStore()
      return { store, sweep: store.sweep, close: () => {} }
    },
  },
  {
    name: "SQLite",
    runs: 300,
    open: () => {
      const database = openDatabase(inMemory)
      const store = sqliteTokenStore(database)
      return { store, sweep: store.sweep, close: () => void database.close() }
    },
  },
  {
    name: "PostgreSQL, three providers with connections of their own",
    runs: 40,
    open: async () => {
      const [first, ...others] = await (opened ??= openThrice())
      const store = postgresTokenStore(await emptied(first))
      return { store, others: others.map(postgresTokenStore), sweep: store.sweep, close: () => {} }
    },
  },
]
