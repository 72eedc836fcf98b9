import { migrate } from "../../packages/adapter-postgres/src/schema/migrate.ts"
import { migrations } from "../../packages/adapter-postgres/src/schema/schema.ts"
import { openDatabase, postgresTokenStore } from "@postern/adapter-postgres"
import { saveAccessToken } from "@postern/core/model"
import { sampleAccessToken, sampleLocator } from "@postern/core/testing"
import { existsSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { connect, type Database } from "../../packages/adapter-postgres/src/database/connect.ts"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()
const fixtureOf = (version: number): URL => new URL(`../faults/schemas/postgres-${version}.sql`, import.meta.url)
const released = migrations.map((_, at) => at + 1).filter((version) => existsSync(fixtureOf(version)))

const columnsOf = async (database: Database): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  database.read(
    "look",
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'postern'
      UNION ALL SELECT tablename, indexname, indexdef, '' FROM pg_indexes WHERE schemaname = 'postern' ORDER BY 1, 2`,
  )

/** Each table with its columns. */
const shapeOf = async (database: Database): Promise<ReadonlyArray<readonly [table: string, columns: string]>> =>
  (
    await database.read(
      "look",
      `SELECT table_name, string_agg(column_name, ', ' ORDER BY ordinal_position) FROM information_schema.columns
        WHERE table_schema = 'postern' AND table_name <> 'migrations' GROUP BY table_name ORDER BY table_name`,
    )
  ).map(([table, columns]) => [String(table), String(columns)] as const)

const rowsOf = async (database: Database, shape: Awaited<ReturnType<typeof shapeOf>>): Promise<ReadonlyArray<unknown>> =>
  Promise.all(
    shape.map(async ([table, columns]) => [
      table,
      await database.read("look", `SELECT ROW(${columns})::text FROM postern.${table} ORDER BY 1`),
    ]),
  )

test("there is a fixture of the last version that was released", () => {
  expect(released).toContain(4)
})

test.each(released)(
  "a PostgreSQL database of version %i as it was released has the newest schema after its upgrade, and its rows",
  async (version) => {
    const { database: make } = await server()
    const url = await make()
    const old = closing(await connect(url, { connections: 1, patience: 20_000 }))
    for (const statement of readFileSync(fixtureOf(version), "utf8").split(";\n-- next\n")) await old.write("restore", statement)
    const shape = await shapeOf(old)
    const before = await rowsOf(old, shape)
    await migrate(old, migrations)
    expect(await rowsOf(old, shape)).toEqual(before)
    const fresh = closing(await openDatabase(await make(), { patience: 20_000 }))
    const upgraded = closing(await openDatabase(url, { patience: 20_000 }))
    expect(await columnsOf(upgraded)).toEqual(await columnsOf(fresh))
    expect(await postgresTokenStore(upgraded).commit([saveAccessToken(sampleAccessToken(1))])).toBe("Committed")
    // A process of the older version may still serve beside this one: what it commits by is there.
    const told = JSON.stringify([{ _tag: "RevokeAccessToken", locator: sampleLocator(1), at: 7 }])
    await old.write("commit", "SELECT postern.commit($1::text::jsonb)", [told])
    expect((await postgresTokenStore(upgraded).findAccessToken(sampleLocator(1)))?.token.revokedAt).toBe(7)
  },
  60_000,
)
