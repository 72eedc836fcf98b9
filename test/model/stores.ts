import { inMemory, openDatabase, sqliteSigningKeyStore, sqliteTokenStore } from "@postern/adapter-sqlite"
import { openDatabase as openPostgres, postgresSigningKeyStore, postgresTokenStore } from "@postern/adapter-postgres"
import { memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import type { Awaitable } from "@postern/core/ports"
import { afterAll } from "vitest"
import { emptied, serverOfProcess } from "../support/postgres.ts"
import { runs } from "../tiers/tier.ts"
import type { StoreSubject } from "./actor.ts"

/** A store that the model is held against, and how often: as much as a few seconds allow. */
export interface StoreUnderTest {
  readonly name: string
  readonly runs: number
  /** Number of races of each lifecycle on it. */
  readonly races: number
  readonly open: () => Awaitable<StoreSubject>
}

/** As many servers would: one database, opened three times; closed with the last test of the file. */
const openedThrice = () => {
  const openThrice = async () => {
    const url = await (await serverOfProcess()).database()
    return Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
  }
  let opened: ReturnType<typeof openThrice> | undefined
  afterAll(async () => {
    for (const database of (await opened) ?? []) await database.close()
  })
  return () => (opened ??= openThrice())
}

/** Every store there is, for the tests of one file. */
export const stores = (thrice = openedThrice()): ReadonlyArray<StoreUnderTest> => [
  {
    name: "memory",
    runs: runs(1000),
    races: runs(600),
    open: () => {
      const store = memoryTokenStore()
      return { store, keys: [memorySigningKeyStore()], sweep: store.sweep, close: () => {} }
    },
  },
  {
    name: "SQLite",
    runs: runs(300),
    races: runs(200, 30),
    open: () => {
      const database = openDatabase(inMemory)
      const store = sqliteTokenStore(database)
      return { store, keys: [sqliteSigningKeyStore(database)], sweep: store.sweep, close: () => void database.close() }
    },
  },
  {
    name: "PostgreSQL, three providers with connections of their own",
    runs: runs(40, 10),
    races: runs(100, 20),
    open: async () => {
      const databases = await thrice()
      const [first, ...others] = databases
      const store = postgresTokenStore(await emptied(first))
      const keys = databases.map(postgresSigningKeyStore)
      return { store, others: others.map((database) => postgresTokenStore(database)), keys, sweep: store.sweep, close: () => {} }
    },
  },
]
