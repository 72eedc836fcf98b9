import { inMemory, openDatabase, sqliteSigningKeyStore, type SqliteTokenStore } from "@postern/adapter-sqlite"
import { openDatabase as openPostgres, postgresSigningKeyStore, postgresTokenStore } from "@postern/adapter-postgres"
import { memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import type { Awaitable } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { afterAll } from "vitest"
import { storesOn } from "../store/preparedOnce.ts"
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

/**
 * One database in memory, which each run finds without a row, and has a new store on; closed with the last test of the file. Making a database and a store's statements takes
 * longer than most runs do.
 */
const openedOnce = (): (() => { readonly database: Database; readonly store: SqliteTokenStore }) => {
  const openOnce = () => {
    const database = openDatabase(inMemory)
    const tables = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all()
    const drops = tables.map((table) => `DELETE FROM "${table}"`).join(";")
    const make = storesOn(database)
    const fresh = () => {
      database.exec(drops)
      return { database, store: make() }
    }
    return { database, fresh }
  }
  let opened: ReturnType<typeof openOnce> | undefined
  afterAll(() => void opened?.database.close())
  return () => (opened ??= openOnce()).fresh()
}

/** As many servers would: one database, opened three times, and the store of each; closed with the last test of the file. */
const openedThrice = () => {
  const openThrice = async () => {
    const url = await (await serverOfProcess()).database()
    const open = async () => {
      const database = await openPostgres(url)
      return { database, store: postgresTokenStore(database) }
    }
    return Promise.all([open(), open(), open()])
  }
  let opened: ReturnType<typeof openThrice> | undefined
  afterAll(async () => {
    for (const { database } of (await opened) ?? []) await database.close()
  })
  return () => (opened ??= openThrice())
}

/** Every store there is, for the tests of one file. */
export const stores = (once = openedOnce(), thrice = openedThrice()): ReadonlyArray<StoreUnderTest> => [
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
      const { database, store } = once()
      return { store, keys: [sqliteSigningKeyStore(database)], sweep: store.sweep, close: () => {} }
    },
  },
  {
    name: "PostgreSQL, three providers with connections of their own",
    runs: runs(40, 10),
    races: runs(100, 20),
    open: async () => {
      const opened = await thrice()
      const [{ database, store }, ...others] = opened
      await emptied(database)
      const keys = opened.map((each) => postgresSigningKeyStore(each.database))
      return { store, others: others.map((each) => each.store), keys, sweep: store.sweep, close: () => {} }
    },
  },
]
