import type { Database, Statement } from "better-sqlite3"

/** What SQLite keeps of a value. */
export type Stored = string | number | null

/** How one member of a row is kept in its column. */
export interface Column<A> {
  readonly write: (value: A) => Stored
  readonly read: (stored: Stored) => A
}

/** A text. */
export const text: Column<string> = { write: (value) => value, read: String }

/** A text of a few known values; what is stored was one of them when it was written. */
export const word = <A extends string>(): Column<A> => ({ write: (value) => value, read: (stored) => String(stored) as A })

/** A whole number: a moment or a span in seconds. */
export const integer: Column<number> = { write: (value) => value, read: Number }

/** Yes or no: 1 or 0. */
export const flag: Column<boolean> = { write: (value) => (value ? 1 : 0), read: (stored) => stored === 1 }

/** Any JSON value, as JSON. */
export const json = <A>(): Column<A> => ({
  write: (value) => JSON.stringify(value),
  // Written by the line above from an A, and by nobody else.
  read: (stored) => JSON.parse(String(stored)) as A,
})

/** A value that may be absent: NULL. */
export const optional = <A>(column: Column<A>): Column<A | undefined> => ({
  write: (value) => (value === undefined ? null : column.write(value)),
  read: (stored) => (stored === null ? undefined : column.read(stored)),
})

/** A column for each member of a row. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: Column<Row[Name]> }

/** Statements on one kind of row. */
export interface Table<Row> {
  /** Whether the row was inserted: false when its key exists. */
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

/** The name of a column: `clientId` is kept in `client_id`. */
const columnName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Prepares the statements of a table. Its columns are named as the members of its rows. */
export const tableOf = <Row>(
  database: Database,
  name: string,
  columns: Columns<Row>,
  key: ReadonlyArray<keyof Row & string>,
): Table<Row> => {
  // Object.entries forgets which column belongs to which member; Columns<Row> has checked it.
  const entries = Object.entries(columns) as ReadonlyArray<readonly [string, Column<unknown>]>
  const selected = entries.map(([member]) => columnName(member)).join(", ")
  const insert = database.prepare(`INSERT INTO ${name} (${selected}) VALUES (${entries.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`)
  const where = key.map((member) => `${columnName(member)} = ?`).join(" AND ")
  const find: Statement<Array<string>, Array<Stored>> = database
    .prepare<Array<string>, Array<Stored>>(`SELECT ${selected} FROM ${name} WHERE ${where}`)
    .raw()

  const read = (stored: ReadonlyArray<Stored>): Row => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]
      if (entry !== undefined) row[entry[0]] = entry[1].read(stored[at] ?? null)
    }
    // Every member of Row has its column, so every member is there.
    return row as Row
  }
  const write = (row: Row): Array<Stored> => {
    const members = row as Readonly<Record<string, unknown>>
    return entries.map(([member, column]) => column.write(members[member]))
  }

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
