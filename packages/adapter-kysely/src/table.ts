import type { RowKind } from "@postern/core/model"
import { columnName, columnOf, columnsOf, identifier, kindOf, readRow, selectedOf, type Stored, writeRow } from "@postern/stores/rows"
import type { Found, Statements } from "./database.ts"
import type { Speech } from "./flavor.ts"

/** The statements on the rows of one kind. */
export interface Table<Row = unknown> {
  readonly kind: RowKind<Row>
  /** The table as statements name it. */
  readonly name: string
  /** Every column that a row is read from; of a table that goes by another name in its statement, each by a name of its own. */
  readonly selected: (alias?: string) => string
  /** Reads a row that was selected; undefined where a join found none. */
  readonly read: (found: Found, alias?: string) => Row | undefined
  /** The stored form of a row, in the order of its columns. */
  readonly write: (row: unknown) => Array<Stored>
  /** The columns, in their order. */
  readonly columns: ReadonlyArray<string>
  /** The condition that a row is one of these, each by the values of the members given. */
  readonly among: (members: ReadonlyArray<string>, values: ReadonlyArray<ReadonlyArray<unknown>>) => string
  /** Inserts rows. One of which the key exists is an error. */
  readonly insert: (statements: Statements, rows: ReadonlyArray<unknown>) => Promise<void>
}

/** Number of rows that one statement speaks of at most: the values of all of them are parameters, of which every database has a limit. */
export const mostRows = 200

/** A list in parts of so many. */
export const inParts = <A>(all: ReadonlyArray<A>, most = mostRows): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))

/** Writes the statements on the rows of a kind. */
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
    // Some drivers give whole numbers of eight bytes as texts or bigints.
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
