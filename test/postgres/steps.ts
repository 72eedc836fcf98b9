import type { Migration } from "../../packages/adapter-postgres/src/schema/migrate.ts"
import type { Database } from "@postern/adapter-postgres"

/** A point that a step passes. Whoever holds its lock keeps everybody from passing it. */
export const pointLock = (point: number): number => 7_000_000 + point
const pass = (point: number): string => `SELECT pg_advisory_xact_lock(${pointLock(point)})`

/** Steps that move data about and pass a point before, between and after every statement. */
export const steps: ReadonlyArray<Migration> = [
  {
    name: "a table of numbers",
    statements: [
      pass(1),
      "CREATE TABLE postern.revisions (name text PRIMARY KEY, value bigint NOT NULL)",
      "CREATE TABLE postern.numbers (value bigint PRIMARY KEY)",
      pass(2),
      "INSERT INTO postern.numbers SELECT generate_series(1, 50000)",
      pass(3),
    ],
  },
  {
    name: "their squares instead",
    statements: [
      pass(4),
      "CREATE TABLE postern.squares (value bigint PRIMARY KEY, square bigint NOT NULL)",
      pass(5),
      "INSERT INTO postern.squares SELECT value, value * value FROM postern.numbers",
      pass(6),
      "DROP TABLE postern.numbers",
      pass(7),
    ],
  },
  {
    name: "and a note",
    statements: [pass(8), "ALTER TABLE postern.squares ADD COLUMN note text NOT NULL DEFAULT 'square'", pass(9)],
  },
]

/** Number of points that the steps pass. */
export const points = 9

/** The version a database stays at when nobody gets past a point. */
export const versionBefore = (point: number): number => (point <= 3 ? 0 : point <= 7 ? 1 : 2)

const sum = (50_000 * 50_001) / 2
const squares = (50_000 * 50_001 * 100_001) / 6

/** Content of a database at a version: its tables, and sums over every row. */
const wholeAt: ReadonlyArray<unknown> = [
  [],
  [["numbers", sum], ["revisions"]],
  [["revisions"], ["squares", squares]],
  [["revisions"], ["squares", squares, "square"]],
]

/** The version of a database, and what is wrong with it: it must hold all of that version and nothing of another. */
export const looked = async (database: Database): Promise<{ readonly version: number; readonly wrong: string | undefined }> => {
  const names = await database.read("look", "SELECT tablename FROM pg_tables WHERE schemaname = 'postern' ORDER BY tablename")
  const tables = names.map(([name]) => String(name)).filter((name) => name !== "migrations")
  const [[version = 0] = []] = names.some(([name]) => name === "migrations")
    ? await database.read("look", "SELECT coalesce(max(version), 0)::int FROM postern.migrations")
    : []
  const held = await Promise.all(
    tables.map(async (table): Promise<ReadonlyArray<unknown>> => {
      if (table === "revisions") return [table]
      const columns = table === "numbers" ? "sum(value)::float8" : version === 3 ? "sum(square)::float8, min(note)" : "sum(square)::float8"
      return [table, ...((await database.read("look", `SELECT ${columns} FROM postern.${table}`))[0] ?? [])]
    }),
  )
  const [seen, whole] = [JSON.stringify(held), JSON.stringify(wholeAt[Number(version)])]
  return { version: Number(version), wrong: seen === whole ? undefined : `at version ${String(version)} there is ${seen}` }
}
