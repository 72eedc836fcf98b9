import type { RowKind } from "@postern/core/model"
import { columnOf, columnsOf, identifier, parameter, readRow, selectedOf, type Stored, storedValue, writeRow } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { reading } from "../database/failure.ts"
import { lookupOf } from "../database/lookup.ts"

/** The values of a row as they are kept, by column. */
export type StoredRow = Readonly<Record<string, Stored>>

/** One kind of row. */
export interface Table<Row> {
  /** The table with its schema. */
  readonly name: string
  /** Every column that a row is read from, for a SELECT whose rows {@link Table.read} reads. */
  readonly selected: string
  /** The same columns of a table that goes by another name in its statement. */
  readonly selectedFrom: (alias: string) => string
  /** Number of columns. */
  readonly width: number
  /** The row of a key of one column, or of another member; lookups of one turn are one statement. */
  readonly lookup: (operation: string, member?: string) => (key: string) => Promise<Row | undefined>
  /** The row of a key of several. */
  readonly find: (operation: string, ...key: ReadonlyArray<string>) => Promise<Row | undefined>
  /** The rows a statement selects. */
  readonly list: (operation: string, sql: string, params?: ReadonlyArray<Stored>) => Promise<ReadonlyArray<Row>>
  readonly read: (operation: string, row: ReadonlyArray<unknown>) => Row
  /** A row by column, as `jsonb_populate_record` takes it. */
  readonly write: (row: Row) => StoredRow
}

/** The statements on a table. Its columns are named as the members of its rows. */
export const tableOf = <Row>(database: Database, kind: RowKind<Row>): Table<Row> => {
  const { key } = kind
  const name = `postern.${kind.name}`
  const names = columnsOf(kind)
  const from = selectedOf(kind).map(identifier)
  const selected = from.join(", ")
  const where = key.map((member, at) => `${columnOf(member)} = $${at + 1}`).join(" AND ")
  const [readStored, writeStored] = [readRow(kind), writeRow(kind)]
  const read = (operation: string, row: ReadonlyArray<unknown>): Row => reading(operation, () => readStored(row.map(storedValue)))
  const list = async (operation: string, sql: string, params: ReadonlyArray<Stored> = []): Promise<ReadonlyArray<Row>> =>
    (await database.read(operation, sql, params.map(parameter))).map((row) => read(operation, row))

  return {
    name,
    selected,
    selectedFrom: (alias) => from.map((each) => `${alias}.${each}`).join(", "),
    width: from.length,
    lookup: (operation, member = key[0] ?? "") => {
      const look = lookupOf(database, { operation, columns: selected, from: name, key: columnOf(member) })
      return async (value) => {
        const row = await look(value)
        return row && read(operation, row)
      }
    },
    find: async (operation, ...keys) => (await list(operation, `SELECT ${selected} FROM ${name} WHERE ${where}`, keys))[0],
    list,
    read,
    write: (row) => Object.fromEntries(writeStored(row).map((value, at) => [names[at] ?? "", parameter(value)])),
  }
}
