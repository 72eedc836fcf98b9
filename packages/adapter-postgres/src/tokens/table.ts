import type { RowKind } from "@postern/core/model"
import { columnOf, columnsOf, identifier, parameter, readRow, selectedOf, type Stored, storedValue, writeRow } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { reading } from "../database/failure.ts"
import { lookupOf } from "../database/lookup.ts"

/** The stored values of a row, by column. */
export type StoredRow = Readonly<Record<string, Stored>>

/** The statements on one kind of row. */
export interface Table<Row> {
  /** The qualified name of the table. */
  readonly name: string
  /** The columns to select for {@link Table.read}. */
  readonly selected: string
  /** The same columns, qualified by a table alias. */
  readonly selectedFrom: (alias: string) => string
  /** The number of columns. */
  readonly width: number
  /** Finds a row by a key of one column or by another member. Lookups in one turn share one statement. */
  readonly lookup: (operation: string, member?: string) => (key: string) => Promise<Row | undefined>
  /** Finds a row by a key of several columns. */
  readonly find: (operation: string, ...key: ReadonlyArray<string>) => Promise<Row | undefined>
  /** Returns the rows that a statement selects. */
  readonly list: (operation: string, sql: string, params?: ReadonlyArray<Stored>) => Promise<ReadonlyArray<Row>>
  readonly read: (operation: string, row: ReadonlyArray<unknown>) => Row
  /** Encodes a row by column, for `jsonb_populate_record`. */
  readonly write: (row: Row) => StoredRow
}

/** Prepares the statements on a table. Its columns are named after the members of its rows. */
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
