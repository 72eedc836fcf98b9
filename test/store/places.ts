import { type ClientRegistry, openDatabase, type People, sqliteAuthenticator, sqliteClientStore } from "@postern/adapter-sqlite"
import { type Database, postgresAuthenticator, postgresClientStore } from "@postern/adapter-postgres"
import { setImmediate } from "node:timers/promises"
import { expect, onTestFinished } from "vitest"
import { logOf } from "../../packages/adapter-sqlite/src/database/log.ts"
import { sharedDatabase } from "../support/postgres.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

/** A database that several processes may open; each of these opens it anew. */
export interface Place {
  readonly people: (options: Parameters<typeof sqliteAuthenticator>[1]) => Promise<People>
  readonly clients: (options: Parameters<typeof sqliteClientStore>[1]) => Promise<ClientRegistry>
  /** The rows that a statement finds, past every store. */
  readonly ask: (sql: string) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>
  /** States what holds once this process has noticed what another one changed. */
  readonly noticed: (ask: () => Promise<unknown>) => { readonly toEqual: (expected: unknown) => Promise<unknown> }
}

/** A kind of database that keeps people and clients. */
export interface PlaceKind {
  readonly name: string
  /** One without a row. */
  readonly place: () => Promise<Place>
}

const sqlite = async (path = temporaryPath()): Promise<Place> => {
  return {
    people: async (options) => sqliteAuthenticator(temporaryDatabase(path), options),
    clients: async (options) => sqliteClientStore(temporaryDatabase(path), options),
    ask: async (sql) => {
      const database = openDatabase(path)
      try {
        const statement = database.prepare<[], ReadonlyArray<unknown>>(sql)
        return statement.reader ? statement.raw().all() : (statement.run(), [])
      } finally {
        database.close()
      }
    },
    // A change counts at once.
    noticed: (ask) => ({ toEqual: async (expected) => expect(await ask()).toEqual(expected) }),
  }
}

/** As a server has it open: people are read on the event loop's own connection, once for each of its turns. */
const served = async (): Promise<Place> => {
  const path = temporaryPath()
  const place = await sqlite(path)
  return {
    ...place,
    people: async (options) => {
      const database = temporaryDatabase(path)
      const log = logOf(path)
      onTestFinished(log.close)
      return sqliteAuthenticator(database, options, log)
    },
    noticed: (ask) => ({ toEqual: async (expected) => (await setImmediate(), expect(await ask()).toEqual(expected)) }),
  }
}

const postgres = async (shared: () => Promise<Database>): Promise<Place> => {
  const database = await shared()
  return {
    people: async (options) => postgresAuthenticator(database, options),
    clients: async (options) => postgresClientStore(database, options),
    ask: async (sql) => (await database.write("look", sql.replaceAll(/\b(FROM|UPDATE) (?=\w)/g, "$1 postern."))).rows,
    // A quarter of a second later at most.
    noticed: (ask) => ({ toEqual: (expected) => expect.poll(ask).toEqual(expected) }),
  }
}

/** Every kind there is, for the tests of one file. */
export const places = (shared = sharedDatabase()): ReadonlyArray<PlaceKind> => [
  { name: "SQLite", place: async () => sqlite() },
  { name: "SQLite of a server", place: served },
  { name: "PostgreSQL", place: () => postgres(shared) },
]
