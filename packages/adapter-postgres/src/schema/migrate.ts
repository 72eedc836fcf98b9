import type { Database, Statement } from "../database/connect.ts"

/** One step from a schema to the next. Its version is its place in the list, counted from 1. */
export interface Migration {
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** Milliseconds that a start may wait for another's step, and a step may take: a table of any size may have to be rewritten. */
export const stepPatience = 3_600_000

/** Held by whoever changes the schema: `PSTN`, as a number. */
const lockNumber = 0x5053544e

/** The state of Postern's schema in a database. */
export interface SchemaState {
  /** True if the schema's name is taken, by whomever. */
  readonly exists: boolean
  /** True if what lies there is another program's. */
  readonly foreign: boolean
  /** 0 before the first step. */
  readonly version: number
}

/** Waits for whoever changes the schema. */
export const lock: ReadonlyArray<Statement> = [
  { sql: "SET LOCAL statement_timeout = 0" },
  { sql: "SET LOCAL lock_timeout = 0" },
  { sql: "SELECT pg_advisory_xact_lock($1::bigint)", params: [lockNumber] },
]

/** Looks at a database without changing it. */
export const schemaState = async (database: Database): Promise<SchemaState> => {
  const operation = "read the schema's version"
  const [[exists, kept, tables] = []] = await database.read(
    operation,
    `SELECT to_regnamespace('postern') IS NOT NULL, to_regclass('postern.migrations') IS NOT NULL,
      (SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'postern')`,
  )
  if (kept !== true) return { exists: exists === true, foreign: Number(tables) > 0, version: 0 }
  const [[version] = []] = await database.read(operation, "SELECT coalesce(max(version), 0) FROM postern.migrations")
  return { exists: true, foreign: false, version: Number(version) }
}

/**
 * Brings a database to the last version, one step at a time. Each step and its row in `postern.migrations` are one transaction under an
 * advisory lock: a process killed in the middle leaves the old schema or the new, and of several that start together one takes the step
 * and the others find it taken. Where a database knows no advisory locks, the row itself makes them take turns.
 */
export const migrate = async (database: Database, steps: ReadonlyArray<Migration>): Promise<void> => {
  const { exists, version } = await schemaState(database)
  if (version === 0) {
    const prepared = [
      ...lock,
      // Said only where it is needed: who may use a schema may not be allowed to make one.
      ...(exists ? [] : [{ sql: "CREATE SCHEMA IF NOT EXISTS postern" }]),
      {
        sql: `CREATE TABLE IF NOT EXISTS postern.migrations
          (version bigint PRIMARY KEY, name text NOT NULL, taken_at timestamptz NOT NULL DEFAULT now())`,
      },
    ]
    await database.transact("prepare the schema", prepared, stepPatience)
  }
  for (const [at, { name, statements }] of [...steps.entries()].slice(version)) {
    const step = { sql: "INSERT INTO postern.migrations (version, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", params: [at + 1, name] }
    const taken = [...lock, { ...step, guards: true }, ...statements.map((sql) => ({ sql }))]
    await database.transact(`take the schema to version ${at + 1}`, taken, stepPatience)
  }
}
