import type { RowKind } from "@postern/core/model"
import { DatabaseRefused } from "@postern/stores"
import { identifier, kindsOfFeatures, type TableDialect, tableStatements } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { slotColumn } from "./slots.ts"

const dialect: TableDialect = {
  named: identifier,
  type: (kept) => (kept === "text" || kept === "json" ? "TEXT" : "INTEGER"),
  // Rows are ordered by their keys, as those of core are.
  ending: ({ slotted }) => (slotted === true ? " STRICT" : " STRICT, WITHOUT ROWID"),
  slot: slotColumn,
  unless: "",
  after: () => [],
  indexed: ({ ordered }) => !ordered,
}

/** Creates or alters the tables of features as described, all of them or none. Throws `DatabaseRefused` if existing rows do not fit. */
export const makeTables = (database: Database, kinds: ReadonlyArray<RowKind>): void => {
  const columns = database.prepare<[string], [string, number]>(`SELECT name, "notnull" FROM pragma_table_info(?)`).raw()
  const due = (): ReadonlyArray<string> =>
    kindsOfFeatures(kinds).flatMap((kind) =>
      tableStatements(dialect, kind, new Map(columns.all(kind.name).map(([name, required]) => [name, required === 1]))),
    )
  try {
    // No lock is taken if there is nothing to create.
    if (due().length > 0) database.transaction(() => due().forEach((sql) => database.exec(sql))).immediate()
  } catch (error) {
    if (error instanceof TypeError) throw new DatabaseRefused(database.name, "foreign", error.message)
    throw error
  }
}
