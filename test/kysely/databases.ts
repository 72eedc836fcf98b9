import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Flavor, KyselyOptions } from "@postern/adapter-kysely"
import { type KyselyStores, kyselyStores } from "@postern/adapter-kysely"
import { CompiledQuery } from "kysely"
import { afterAll, beforeAll } from "vitest"
import { type MariadbServer, mariadbThere, startMariadb } from "../support/mariadbServer.ts"
import { mysqlThere, startMysql } from "../support/mysqlServer.ts"
import { startPostgres } from "../support/postgresServer.ts"
import { type Application, connected, makeDatabase } from "./connected.ts"

/** A database that the tests of stores over Kysely run on. */
export interface Place {
  readonly dialect: Flavor
  /** The address by which another process finds it: a port, a URL or a file. */
  readonly address: string
  /** Another connection pool to the same database. */
  readonly connect: () => Application
  readonly end: () => Promise<void>
}

/** A database on a MariaDB or a MySQL. */
export const onMariadb = async (server: MariadbServer): Promise<Place> => {
  await makeDatabase(server.port)
  return placeAt("mysql", String(server.port), () => server.end())
}

const placeAt = (dialect: Flavor, address: string, end: () => Promise<void>): Place => ({
  dialect,
  address,
  connect: () => connected(dialect, address),
  end,
})

/** Every database, by its name, and whether tests on it run. */
export const places: ReadonlyArray<readonly [name: string, isThere: boolean, open: () => Promise<Place>]> = [
  ["MariaDB", mariadbThere, async () => onMariadb(await startMariadb())],
  ["MySQL", mysqlThere, async () => onMariadb(await startMysql())],
  [
    "PostgreSQL",
    true,
    async () => {
      const server = await startPostgres()
      return placeAt("postgres", await server.database(), () => server.end())
    },
  ],
  [
    "SQLite",
    true,
    async () => {
      const home = mkdtempSync(join(tmpdir(), "postern-kysely-"))
      return placeAt("sqlite", join(home, "application.db"), async () => rmSync(home, { recursive: true, force: true }))
    },
  ],
]

/** Stores in one database for all tests of a file, without a row each time they are asked for. */
export const sharedStores = (open: () => Promise<Place>, options: Partial<KyselyOptions> = {}) => {
  let made:
    | Promise<{ readonly place: Place; readonly kysely: Application; readonly stores: KyselyStores; readonly names: ReadonlyArray<string> }>
    | undefined
  const make = async () => {
    const place = await open()
    const kysely = place.connect()
    const stores = await kyselyStores(kysely, { dialect: place.dialect, hashing: { memoryCost: 64, timeCost: 1 }, ...options })
    const tables = await kysely.introspection.getTables()
    return {
      place,
      kysely,
      stores,
      names: tables.map(({ name }) => name).filter((name) => !/_(?:turns|counts)$/.test(name) || name.endsWith("request_counts")),
    }
  }
  // A server starts within the time of no test.
  beforeAll(async () => {
    await (made ??= make())
  }, 120_000)
  afterAll(async () => {
    const all = await made
    await all?.kysely.destroy()
    await all?.place.end()
  })
  return async () => {
    const all = await (made ??= make())
    // Most of some forty tables are empty, and which are is one question.
    const asked = all.names.map((name) => `SELECT '${name}' AS name FROM (SELECT 1 AS one) AS it WHERE EXISTS (SELECT 1 FROM ${name})`)
    const { rows } = await all.kysely.executeQuery<{ readonly name: string }>(CompiledQuery.raw(asked.join(" UNION ALL ")))
    await Promise.all(rows.map(({ name }) => all.kysely.executeQuery(CompiledQuery.raw(`DELETE FROM ${name}`))))
    return all
  }
}
