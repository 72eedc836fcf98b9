/** What a database keeps of a value. */
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

/** The name of a column: `clientId` is kept in `client_id`. */
export const columnName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Every column of a row, by its member. */
export const columnsOf = <Row>(columns: Columns<Row>): ReadonlyArray<readonly [member: string, column: Column<unknown>]> =>
  // Object.entries forgets which column belongs to which member; Columns<Row> has checked it.
  Object.entries(columns) as ReadonlyArray<readonly [string, Column<unknown>]>

/** Reads a row from what is stored of it, in the order of {@link columnsOf}. */
export const readRow = <Row>(columns: Columns<Row>): ((stored: ReadonlyArray<unknown>) => Row) => {
  const entries = columnsOf(columns)
  return (stored) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]
      // A driver gives what was stored, or null.
      if (entry !== undefined) row[entry[0]] = entry[1].read((stored[at] ?? null) as Stored)
    }
    // Every member of Row has its column, so every member is there.
    return row as Row
  }
}

/** What is stored of a row, in the order of {@link columnsOf}. */
export const writeRow = <Row>(columns: Columns<Row>): ((row: Row) => Array<Stored>) => {
  const entries = columnsOf(columns)
  return (row) => {
    const members = row as Readonly<Record<string, unknown>>
    return entries.map(([member, column]) => column.write(members[member]))
  }
}
