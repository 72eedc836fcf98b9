import { inMemory, openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import type { StoreSubject } from "./actor.ts"

/** A store that the model is held against, and how often: as much as a few seconds allow. */
export interface StoreUnderTest {
  readonly name: string
  readonly runs: number
  readonly open: () => StoreSubject
}

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
    runs: 400,
    open: () => {
      const database = openDatabase(inMemory)
      const store = sqliteTokenStore(database)
      return { store, sweep: store.sweep, close: () => void database.close() }
    },
  },
]
