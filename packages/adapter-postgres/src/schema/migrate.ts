import type { Database, Statement } from "../database/connect.ts"

/** One step from a schema to the next. Its version is its position in the list, counted from 1. */
export interface Migration {
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/**
 * The maximum time that a start waits for another process's step, or that a step takes, in milliseconds. A step may have to rewrite a table
 * of any size.
 */
export const stepPatience = 3_600_000

/** The number of the advisory lock held while the schema changes: `PSTN`. */
const lockNumber = 0x5053544e

/** The state of Postern's schema in a database. */
export interface SchemaState {
  /** Reports whether the schema's name is taken, by Postern or another program. */
  readonly exists: boolean
  /** Reports whether the schema holds another program's tables. */
  readonly foreign: boolean
  /** The schema version, or 0 before the first step. */
  readonly version: number
}

/** Takes the advisory lock, waiting without a limit for another process that changes the schema. */
export const lock: ReadonlyArray<Statement> = [
  { sql: "SET LOCAL statement_timeout = 0" },
  { sql: "SET LOCAL lock_timeout = 0" },
  { sql: "SELECT pg_advisory_xact_lock($1::bigint)", params: [lockNumber] },
]

/** Reads the state of the schema without changing the database. */
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
 * Migrates a database to the last version, one step at a time. Each step and its row in `postern.migrations` are one transaction under an
 * advisory lock. A process killed midway therefore leaves the old schema or the new one. Of several processes that start together, one
 * takes the step and the others find it taken. In a database without advisory locks, the row itself serializes them.
 */
export const migrate = async (database: Database, steps: ReadonlyArray<Migration>): Promise<void> => {
  const { exists, version } = await schemaState(database)
  if (version === 0) {
    const prepared = [
      ...lock,
      // The statement is omitted if the schema exists, because a user who may use a schema may not be allowed to create one.
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
