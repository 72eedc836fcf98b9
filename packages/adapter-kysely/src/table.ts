import type { RowKind } from "@postern/core/model"
import { columnName, columnOf, columnsOf, identifier, kindOf, readRow, selectedOf, type Stored, writeRow } from "@postern/stores/rows"
import type { Found, Statements } from "./database.ts"
import type { Speech } from "./flavor.ts"

/** The statements for the rows of one kind. */
export interface Table<Row = unknown> {
  readonly kind: RowKind<Row>
  /** The quoted name of the table. */
  readonly name: string
  /** Returns the columns to select; with an alias, each under a prefixed name. */
  readonly selected: (alias?: string) => string
  /** Decodes a selected row; undefined if a join found none. */
  readonly read: (found: Found, alias?: string) => Row | undefined
  /** Encodes a row as column values, in the order of `columns`. */
  readonly write: (row: unknown) => Array<Stored>
  /** The columns, in order. */
  readonly columns: ReadonlyArray<string>
  /** Returns the condition that selects rows by the values of some members. */
  readonly among: (members: ReadonlyArray<string>, values: ReadonlyArray<ReadonlyArray<unknown>>) => string
  /** Inserts rows. A duplicate key is an error. */
  readonly insert: (statements: Statements, rows: ReadonlyArray<unknown>) => Promise<void>
}

/** The maximum number of rows per statement. Their values are parameters, which every database limits. */
export const mostRows = 200

/** Splits a list into parts of a maximum length. */
export const inParts = <A>(all: ReadonlyArray<A>, most = mostRows): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))

/** Creates the statements for the rows of a kind. */
export const tableOf = <Row>(kind: RowKind<Row>, prefix: string, speech: Speech): Table<Row> => {
  const name = identifier(`${prefix}${kind.name}`)
  const columns = columnsOf(kind)
  const selected = selectedOf(kind)
  const texts = new Set(
    Object.keys(kind.columns)
      .filter((member) => /^(?:text|json)/.test(kindOf(kind, member)))
      .map(columnName)
      .concat("content"),
  )
  const [read, write] = [readRow(kind), writeRow(kind)]
  const storedAs = (column: string, value: unknown): Stored => {
    if (value === null || value === undefined) return null
    // Some drivers return 64-bit integers as strings or bigints.
    return texts.has(column) ? speech.read(typeof value === "string" ? value : JSON.stringify(value)) : Number(value)
  }
  const inserted = `INSERT INTO ${name} (${columns.map(identifier).join(", ")}) VALUES `
  const values = `(${columns.map(() => "?").join(", ")})`
  const keyed = kind.key.map(columnName).find((column) => selected.includes(column)) ?? "content"

  return {
    kind,
    name,
    columns,
    selected: (alias) =>
      selected
        .map((column) =>
          alias === undefined ? identifier(column) : `${alias}.${identifier(column)} AS ${identifier(`${alias}_${column}`)}`,
        )
        .join(", "),
    read: (found, alias) => {
      const named = alias === undefined ? "" : `${alias}_`
      if (found[`${named}${keyed}`] === null) return undefined
      return read(selected.map((column) => storedAs(column, found[`${named}${column}`])))
    },
    write,
    among: (members, all) => {
      const [only, ...others] = members
      if (only !== undefined && others.length === 0) return `${columnOf(only)} IN (${all.map(() => "?").join(", ")})`
      const one = `(${members.map((member) => `${columnOf(member)} = ?`).join(" AND ")})`
      return `(${all.map(() => one).join(" OR ")})`
    },
    insert: async (statements, rows) => {
      for (const part of inParts(rows, 100)) await statements.change(inserted + part.map(() => values).join(", "), part.flatMap(write))
    },
  }
}
