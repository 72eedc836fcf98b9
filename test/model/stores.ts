import { inMemory, openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { postgresTokenStore } from "@postern/adapter-postgres"
import { memoryTokenStore } from "@postern/core/memory"
import type { Awaitable } from "@postern/core/ports"
import { sharedDatabase } from "../support/postgres.ts"
import type { StoreSubject } from "./actor.ts"

/** A store that the model is held against, and how often: as much as a few seconds allow. */
export interface StoreUnderTest {
  readonly name: string
  readonly runs: number
  readonly open: () => Awaitable<StoreSubject>
}

const postgres = sharedDatabase()

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
    name: "PostgreSQL",
    runs: 40,
    open: async () => {
      const store = postgresTokenStore(await postgres())
      return { store, sweep: store.sweep, close: () => {} }
    },
  },
]
