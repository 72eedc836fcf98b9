import type { RowKind } from "@postern/core/model"
import { DatabaseRefused, identifier, StoreUnavailable, type TableDialect, tableStatements } from "@postern/stores/sql"
import { type Database, guardTable, type Statement } from "./database.ts"

/** The table version of this release. Tables that later releases cannot upgrade by adding columns get a new version. */
const version = 1

/** Returns the quoted names of the auxiliary tables. */
export const besideOf = (prefix: string): { readonly about: string; readonly guard: string; readonly requestCounts: string } => ({
  about: identifier(`${prefix}about`),
  guard: identifier(guardTable(prefix)),
  requestCounts: identifier(`${prefix}request_counts`),
})

const dialect: TableDialect = {
  named: identifier,
  type: (kept) => (kept === "text" || kept === "json" ? "TEXT" : "INTEGER"),
  ending: () => " STRICT, WITHOUT ROWID",
  unless: " IF NOT EXISTS",
  // SQLite has no `IF NOT EXISTS` for a column.
  unlessColumn: "",
  after: () => [],
  descended: true,
  indexed: () => true,
}

/**
 * Creates missing tables and adds columns of newer descriptions, all in one transaction. If the tables are up to date, no statement changes
 * them. Rejects with `DatabaseRefused`.
 */
export const open = async (database: Database, place: string, prefix: string, kinds: ReadonlyArray<RowKind>): Promise<void> => {
  try {
    for (let tries = 1; ; tries++) {
      const there = await columnsThere(database, prefix)
      const known = await versionOf(database, prefix, there)
      if (known > version)
        throw new DatabaseRefused(
          place,
          "newer",
          `its tables are version ${known} and this Postern knows versions up to ${version}; use the newer Postern that made them`,
        )
      const due = [
        ...(known === version ? [] : madeBeside(prefix)),
        ...kinds.flatMap((kind) => tableOf(place, kind, there.get(kind.name) ?? new Map())),
      ]
      if (due.length === 0) return
      try {
        await database.ask("make its tables", due)
        return
      } catch (error) {
        // Another Worker may have added the same column concurrently.
        if (!(error instanceof StoreUnavailable) || error.code !== "SQLITE_ERROR" || tries > 3) throw error
      }
    }
  } catch (error) {
    if (error instanceof StoreUnavailable)
      throw new DatabaseRefused(place, "inaccessible", `it cannot ${error.operation} (${error.code})`, error)
    throw error
  }
}

const tableOf = (place: string, kind: RowKind, there: ReadonlyMap<string, boolean>): ReadonlyArray<Statement> => {
  try {
    return tableStatements(dialect, kind, there).map(plain)
  } catch (error) {
    throw error instanceof TypeError ? new DatabaseRefused(place, "foreign", error.message, error) : error
  }
}

const plain = (sql: string): Statement => ({ sql, values: [] })

/** Returns the columns of each of our tables, by name, with their NOT NULL flags. */
const columnsThere = async (database: Database, prefix: string): Promise<ReadonlyMap<string, ReadonlyMap<string, boolean>>> => {
  const ours = `SELECT "name" FROM sqlite_master WHERE "type" = 'table' AND substr("name", 1, ${prefix.length}) = ?`
  const sql = `SELECT m."name" AS "table", p."name" AS "column", p."notnull" AS "required" FROM (${ours}) AS m, pragma_table_info(m."name") AS p`
  const [rows = []] = await database.ask("read its tables", [{ sql, values: [prefix] }])
  const there = new Map<string, Map<string, boolean>>()
  for (const [table, column, required] of rows) {
    const columns = there.get(String(table)) ?? new Map<string, boolean>()
    there.set(String(table), columns.set(String(column), required === 1))
  }
  return there
}

/** Returns the version of the tables; 0 if there are none. */
const versionOf = async (database: Database, prefix: string, there: ReadonlyMap<string, unknown>): Promise<number> => {
  if (!there.has(`${prefix}about`)) return 0
  const [rows = []] = await database.ask("read its version", [
    plain(`SELECT "value" FROM ${besideOf(prefix).about} WHERE "name" = 'version'`),
  ])
  return Number(rows[0]?.[0] ?? 0)
}

const madeBeside = (prefix: string): ReadonlyArray<Statement> => {
  const { about, guard, requestCounts } = besideOf(prefix)
  return [
    `CREATE TABLE IF NOT EXISTS ${about} ("name" TEXT NOT NULL PRIMARY KEY, "value" INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    // Every insert into this table fails.
    `CREATE TABLE IF NOT EXISTS ${guard} ("failed" INTEGER NOT NULL CONSTRAINT ${guard} CHECK ("failed" = 0)) STRICT`,
    `CREATE TABLE IF NOT EXISTS ${requestCounts} ("key" TEXT NOT NULL PRIMARY KEY, "full_at" REAL NOT NULL, "taken" REAL NOT NULL) STRICT, WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS ${identifier(`${prefix}request_counts_by_1`)} ON ${requestCounts} ("full_at")`,
    `INSERT INTO ${about} ("name", "value") VALUES ('version', ${version}) ON CONFLICT DO NOTHING`,
  ].map(plain)
}
