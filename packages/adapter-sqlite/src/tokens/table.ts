import type { RowKind } from "@postern/core/model"
import { columnOf, columnsOf, identifier, readRow, selectedOf, type Stored, writeRow } from "@postern/stores/rows"
import type { Database, Statement } from "better-sqlite3"

/** Statements on one kind of row. */
export interface Table<Row> {
  /** Reports whether the row was inserted: false when its key exists. */
  readonly insert: (row: Row) => boolean
  /** The row of a key. */
  readonly find: (...key: ReadonlyArray<string>) => Row | undefined
  /** Every column that a row is read from, for a SELECT whose rows {@link Table.read} reads. */
  readonly selected: string
  /** Reads a row selected in raw mode. */
  readonly read: (stored: ReadonlyArray<Stored>) => Row
  /** The values of a row in the order of its columns. */
  readonly write: (row: Row) => Array<Stored>
}

/** Prepares the statements of a table, whose rows are found by its key or by other members. */
export const tableOf = <Row>(database: Database, kind: RowKind<Row>, key = kind.key): Table<Row> => {
  const columns = columnsOf(kind)
  const selected = selectedOf(kind).map(identifier).join(", ")
  const insert = database.prepare(
    `INSERT INTO ${identifier(kind.name)} (${columns.map(identifier).join(", ")}) VALUES (${columns.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
  )
  const where = key.map((member) => `${columnOf(member)} = ?`).join(" AND ")
  const find: Statement<Array<string>, Array<Stored>> = database
    .prepare<Array<string>, Array<Stored>>(`SELECT ${selected} FROM ${identifier(kind.name)} WHERE ${where}`)
    .raw()
  const [read, write] = [readRow(kind), writeRow(kind)]

  return {
    insert: (row) => insert.run(...write(row)).changes === 1,
    find: (...keys) => {
      const stored = find.get(...keys)
      return stored === undefined ? undefined : read(stored)
    },
    selected,
    read,
    write,
  }
}
