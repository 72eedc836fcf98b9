/**
 * Writes the newest schema of PostgreSQL with rows of every table, as the fixture that later versions are upgraded from:
 * `node test/faults/schemas/writePostgres.ts`. A schema that was released is never written again.
 */
import { writeFileSync } from "node:fs"
import { connect } from "../../../packages/adapter-postgres/src/database/connect.ts"
import { openDatabase } from "../../../packages/adapter-postgres/src/schema/open.ts"
import { migrations } from "../../../packages/adapter-postgres/src/schema/schema.ts"
import { startPostgres } from "../../support/postgresServer.ts"

const rows = 12

/** A value that fits a column, and is another one in each row; nothing in every third row where nothing may be. */
const valueOf = (name: string, type: string, isNullable: boolean, row: number): string => {
  if (isNullable && row % 3 === 0) return "NULL"
  if (type !== "text") return type === "smallint" ? String(row % 2) : String(1_795_219_200 + row)
  return name === "origin" ? "'config'" : `'${name} ${row} Ä''"\\'`
}

const postgres = await startPostgres()
try {
  const url = await postgres.database()
  await (await openDatabase(url)).close()
  const database = await connect(url, { connections: 1 })
  const columns = await database.read(
    "look",
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = 'postern' AND is_identity = 'NO' AND table_name NOT IN ('migrations', 'revisions')
      ORDER BY table_name, ordinal_position`,
  )
  const marks = await database.read("look", "SELECT * FROM postern.migrations").catch(() => [])
  await database.close()
  const inserts = [...new Set(columns.map(([table]) => String(table)))].flatMap((table) => {
    const own = columns.filter(([of]) => of === table)
    const names = own.map(([, name]) => String(name)).join(", ")
    const values = Array.from(
      { length: rows },
      (_, row) =>
        `  (${own.map(([, name, type, isNullable]) => valueOf(String(name), String(type), isNullable === "YES", row)).join(", ")})`,
    )
    return [`INSERT INTO postern.${table} (${names}) VALUES\n${values.join(",\n")}`]
  })
  const steps = migrations.map(({ name }, at) => `(${at + 1}, '${name.replaceAll("'", "''")}')`)
  const statements = [
    "CREATE SCHEMA postern",
    "CREATE TABLE postern.migrations (version bigint PRIMARY KEY, name text NOT NULL, taken_at timestamptz NOT NULL DEFAULT now())",
    ...migrations.flatMap((step) => step.statements.map((sql) => sql.trim())),
    `INSERT INTO postern.migrations (version, name) VALUES ${steps.join(", ")}`,
    ...inserts,
  ]
  if (marks.length !== migrations.length) throw new Error("the steps were not taken")
  const text = `-- Version ${migrations.length}, as it was released, with rows of every table.\n${statements.join(";\n-- next\n")};\n`
  writeFileSync(new URL(`postgres-${migrations.length}.sql`, import.meta.url), text)
} finally {
  await postgres.end()
}
