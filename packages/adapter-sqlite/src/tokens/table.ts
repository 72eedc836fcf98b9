import { columnName, columnsOf, type Kind, readRow, type Stored, writeRow } from "@postern/stores/rows"
import type { Database, Statement } from "better-sqlite3"

/** Statements on one kind of row. */
export interface Table<Row> {
  /** Reports whether the row was inserted: false when its key exists. */
  readonly insert: (row: Row) => boolean
  /** The row of a key. */
  readonly find: (...key: ReadonlyArray<string>) => Row | undefined
  /** Every column, for a SELECT whose rows {@link Table.read} reads. */
  readonly selected: string
  /** Reads a row selected in raw mode. */
  readonly read: (stored: ReadonlyArray<Stored>) => Row
  /** The values of a row in the order of {@link Table.selected}. */
  readonly write: (row: Row) => Array<Stored>
}

/** Prepares the statements of a table. Its columns are named as the members of its rows. */
export const tableOf = <Row>(database: Database, { table, columns, key }: Kind<Row>): Table<Row> => {
  const members = columnsOf(columns).map(([member]) => columnName(member))
  const selected = members.join(", ")
  const insert = database.prepare(`INSERT INTO ${table} (${selected}) VALUES (${members.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`)
  const where = key.map((member) => `${columnName(member)} = ?`).join(" AND ")
  const find: Statement<Array<string>, Array<Stored>> = database
    .prepare<Array<string>, Array<Stored>>(`SELECT ${selected} FROM ${table} WHERE ${where}`)
    .raw()
  const [read, write] = [readRow(columns), writeRow(columns)]

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
