import type { RowKind } from "@postern/core/model"
import { kindsOfFeatures, type TableDialect, tableStatements } from "@postern/stores/rows"
import type { Database, Statement } from "../database/connect.ts"

const dialect: TableDialect = {
  named: (table) => `postern.${table}`,
  type: (kept, finds) => (kept === "integer" ? "bigint" : kept === "flag" ? "smallint" : finds ? 'text COLLATE "C"' : "text"),
  ending: () => "",
  // Of several processes that start at once, one creates the table.
  unless: " IF NOT EXISTS",
  // The settings are those of core's tables, so that space freed by a sweep is soon reused.
  after: (table) => [`ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`],
  indexed: () => true,
}

/**
 * Returns the statements that bring the tables of features to their descriptions, or none if nothing is missing. Throws a `TypeError` if
 * existing rows do not fit.
 */
export const tablesDue = async (database: Database, kinds: ReadonlyArray<RowKind>): Promise<ReadonlyArray<Statement>> => {
  const due: Array<Statement> = []
  for (const kind of kindsOfFeatures(kinds)) {
    const columns = await database.read(
      "read the columns of a table",
      "SELECT attname::text, attnotnull FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
      [dialect.named(kind.name)],
    )
    const there = new Map(columns.map(([name, required]) => [String(name), required === true]))
    due.push(...tableStatements(dialect, kind, there).map((sql) => ({ sql })))
  }
  return due
}
