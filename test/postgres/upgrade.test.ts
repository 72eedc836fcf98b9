import { type Migration, migrate } from "../../packages/adapter-postgres/src/schema/migrate.ts"
import { migrations } from "../../packages/adapter-postgres/src/schema/schema.ts"
import { openDatabase, postgresTokenStore } from "@postern/adapter-postgres"
import { saveAccessToken } from "@postern/core/model"
import { sampleAccessToken, sampleLocator } from "@postern/core/testing"
import { StoreUnavailable } from "@postern/stores"
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

/** The statements of a fixture. */
const statementsOf = (version: number): ReadonlyArray<string> => readFileSync(fixtureOf(version), "utf8").split(";\n-- next\n")

/** The SQLSTATE that a statement fails with; undefined where it does not. */
const codeOf = async (run: Promise<unknown>): Promise<string | undefined> => {
  try {
    await run
    return undefined
  } catch (error) {
    return error instanceof StoreUnavailable ? error.code : (/\((\w{5})\)$/.exec(String(error))?.[1] ?? String(error))
  }
}

/** Indexes that nothing may be twice in, which an older server names in `ON CONFLICT`. */
const uniqueOf = async (database: Database): Promise<ReadonlyArray<string>> =>
  (
    await database.read(
      "look",
      `SELECT relname || ' (' || (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(indkey) WITH ORDINALITY AS key (number, place)
          JOIN pg_attribute ON attrelid = indrelid AND attnum = number) || ')' FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
        WHERE indisunique AND relnamespace = 'postern'::regnamespace ORDER BY 1`,
    )
  ).map(([index]) => String(index))

/** The faults of what a server of an older version does to a database that a newer one has brought to some steps. */
const faultsFor = async (version: number, steps: ReadonlyArray<Migration>): Promise<ReadonlyArray<string>> => {
  const { database: make } = await server()
  const old = closing(await connect(await make(), { connections: 1, patience: 20_000 }))
  for (const statement of statementsOf(version)) await old.write("restore", statement)
  const [shape, unique] = [await shapeOf(old), await uniqueOf(old)]
  const rows = new Map<string, Readonly<Record<string, unknown>>>()
  for (const [table] of shape) {
    const [[row] = []] = await old.read("look", `SELECT row_to_json(t)::text FROM postern.${table} AS t LIMIT 1`)
    rows.set(table, JSON.parse(String(row)) as Readonly<Record<string, unknown>>)
  }
  await migrate(old, steps)
  const faults: Array<string> = []
  const tried = async (what: string, sql: string, params: ReadonlyArray<string> = []): Promise<void> => {
    const code = await codeOf(old.write(what, sql, [...params]))
    // A guard that fails is an answer.
    if (code !== undefined && code !== "PN409") faults.push(`${what}: ${code}`)
  }
  for (const [table, columns] of shape) await tried(`read ${table}`, `SELECT ${columns} FROM postern.${table}`)
  const there = await uniqueOf(old)
  faults.push(...unique.filter((each) => !there.includes(each)).map((each) => `not unique: ${each}`))
  await tried("empty", `TRUNCATE ${shape.map(([table]) => `postern.${table}`).join(", ")}`)
  for (const statement of statementsOf(version)) {
    const [, table] = /^INSERT INTO postern\.(\w+) /.exec(statement) ?? []
    if (table !== undefined && table !== "migrations") await tried(`insert into ${table}`, statement.replace(/;\n$/, ""))
  }
  await tried("empty", `TRUNCATE ${shape.map(([table]) => `postern.${table}`).join(", ")}`)
  const tables = { Grant: "grants", Code: "codes", AccessToken: "access_tokens", RefreshToken: "refresh_tokens", Session: "sessions" }
  const others = { Interaction: "interactions", Device: "devices", Consent: "consents" }
  const text = statementsOf(version).findLast((sql) => sql.includes("FUNCTION postern.commit(")) ?? ""
  const tags = [...text.matchAll(/'_tag' = '(\w+)'/g)].map(([, tag = ""]) => tag)
  for (const tag of tags) {
    const of = Object.entries({ ...tables, ...others }).find(([noun]) => tag.endsWith(noun))?.[1] ?? "attempts"
    const row = rows.get(of) ?? {}
    const numbers = {
      at: 7,
      keepUntil: 9,
      seenAt: 8,
      expiresAt: 9,
      resetAt: 9,
      fullUntil: 9,
      most: 5,
      count: 1,
      version: 1,
      before: 0,
      grantedAt: 7,
      until: 9,
    }
    const names = {
      key: "key",
      locator: row["locator"],
      grantId: row["id"],
      subject: row["subject"],
      clientId: row["client_id"],
      successor: "next",
    }
    const command = { _tag: tag, ...numbers, ...names, scope: [], grants: true, row }
    await tried(tag, "SELECT postern.commit($1::text::jsonb)", [JSON.stringify([command])])
  }
  for (const table of Object.values({ ...tables, ...others })) {
    const [[kept] = []] = await old.read("look", `SELECT count(*)::int FROM postern.${table}`)
    // Each row that was saved is there, but for a consent that was removed again.
    if (kept !== (table === "consents" ? 0 : 1)) faults.push(`${table} has ${String(kept)} rows`)
  }
  return tags.length < 20 ? [`only ${tags.length} commands were found`] : faults
}

test.each(released)(
  "a server of version %i that still runs beside a newer one reads, inserts and commits on the newest schema",
  async (version) => {
    expect(await faultsFor(version, migrations)).toEqual([])
  },
  60_000,
)

test.each([
  ["ALTER TABLE postern.codes ADD COLUMN news text NOT NULL", ["insert into codes: 23502", "SaveCode: 23502", "codes has 0 rows"]],
  ["ALTER TABLE postern.sessions DROP COLUMN tenant", ["read sessions: 42703", "insert into sessions: 42703"]],
  ["ALTER TABLE postern.identities DROP CONSTRAINT identities_pkey", ["not unique: identities (issuer, subject)"]],
])(
  "a step that an older server could not live with is found: %s",
  async (statement, faults) => {
    const step = { name: "a fault", statements: ["DELETE FROM postern.codes", statement] }
    expect(await faultsFor(4, [...migrations, step])).toEqual(faults)
  },
  60_000,
)

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
