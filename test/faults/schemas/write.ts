/**
 * Writes the newest schema with rows of every table, as the fixture that later versions are upgraded from: `node test/faults/schemas/write.ts`.
 * A schema that was released is never written again.
 */
import { writeFileSync } from "node:fs"
import Sqlite from "better-sqlite3"
import { applicationId, migrate } from "../../../packages/adapter-sqlite/src/database/migrate.ts"
import { migrations } from "../../../packages/adapter-sqlite/src/database/schema.ts"
import { slotOf } from "../../../packages/adapter-sqlite/src/database/slots.ts"

const rows = 12

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

const textOf = (name: string, row: number): string => `${name} ${row} Ä'"\\`

/** A value that fits a column, and is another one in each row; nothing in every third row where nothing may be. */
const valueOf = ({ name, type, notnull, pk }: Column, row: number): string => {
  if (name === "slot") return String(slotOf(textOf("locator", row)))
  if (notnull === 0 && pk === 0 && row % 3 === 0) return "NULL"
  if (type === "INTEGER" || type === "REAL") return String(1_795_219_200 + row)
  return name === "origin" ? "'config'" : `'${textOf(name, row).replaceAll("'", "''")}'`
}

const database = new Sqlite(":memory:")
migrate(database, migrations)
const tables = database
  .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
  .pluck()
  .all()
const inserts = tables.flatMap((table) => {
  const columns = database.prepare<[string], Column>("SELECT * FROM pragma_table_info(?)").all(table)
  const names = columns.map(({ name }) => name).join(", ")
  const values = Array.from({ length: rows }, (_, row) => `  (${columns.map((column) => valueOf(column, row)).join(", ")})`)
  return [`INSERT INTO ${table} (${names}) VALUES`, `${values.join(",\n")};`]
})
const text = [
  `-- Version ${migrations.length}, as it was released, with rows of every table.`,
  `PRAGMA application_id = ${applicationId};`,
  `PRAGMA user_version = ${migrations.length};`,
  ...migrations.flatMap(({ name, sql, end = "" }) => [`-- ${name}`, `${sql.replaceAll(/^ {6}/gm, "").trim()}\n${end}`.trim()]),
  ...inserts,
].join("\n")
writeFileSync(new URL(`${migrations.length}.sql`, import.meta.url), `${text}\n`)
