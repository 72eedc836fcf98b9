import type { ColumnKind, RowKind } from "@postern/core/model"

/** The form in which a database stores a value. */
export type Stored = string | number | null

/** Converts a member of a row to its column's value and back. */
export interface Codec {
  readonly write: (value: unknown) => Stored
  readonly read: (stored: Stored) => unknown
}

const codecs: Readonly<Record<string, Codec>> = {
  text: { write: (value) => value as string, read: String },
  integer: { write: (value) => value as number, read: Number },
  /** Booleans are stored as 1 or 0. */
  flag: { write: (value) => (value === true ? 1 : 0), read: (stored) => stored === 1 },
  json: { write: (value) => JSON.stringify(value), read: (stored) => JSON.parse(String(stored)) },
}

/** Makes a codec that stores an absent value as NULL. */
const optional = ({ write, read }: Codec): Codec => ({
  write: (value) => (value === undefined || value === null ? null : write(value)),
  read: (stored) => (stored === null ? undefined : read(stored)),
})

const optionals: Readonly<Record<string, Codec>> = Object.fromEntries(
  Object.entries(codecs).map(([name, codec]) => [`${name}?`, optional(codec)]),
)

/** Returns the codec of a column kind. */
export const codecOf = (kind: ColumnKind): Codec => {
  const codec = codecs[kind] ?? optionals[kind]
  if (codec === undefined) throw new Error(`no column is of the kind ${kind}`)
  return codec
}

/** Returns the codec of a column kind, with absent values allowed. */
export const optionalCodecOf = (kind: ColumnKind): Codec => codecOf(kind.endsWith("?") ? kind : (`${kind}?` as ColumnKind))

/** Converts a member's name to its column's: `clientId` becomes `client_id`. */
export const columnName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Quotes an identifier, so that it is not taken for a keyword of SQL (SQL-92 §5.2). */
export const identifier = (name: string): string => `"${name}"`

/** The quoted column name of a member. */
export const columnOf = (member: string): string => identifier(columnName(member))

/** The columns of a kind of row. The last one contains the whole row if the kind stores it. */
export const columnsOf = ({ columns, whole }: Pick<RowKind, "columns" | "whole">): ReadonlyArray<string> => [
  ...Object.keys(columns).map(columnName),
  ...(whole === undefined ? [] : ["content"]),
]

/** The columns that a row is read from. If the whole row is stored, its column is the only one. */
export const selectedOf = (kind: Pick<RowKind, "columns" | "whole">): ReadonlyArray<string> =>
  kind.whole === undefined ? columnsOf(kind) : ["content"]

/** Converts stored values to a row. They are in the order of {@link selectedOf}. */
export const readRow = <Row>({ columns, whole }: RowKind<Row>): ((stored: ReadonlyArray<unknown>) => Row) => {
  const entries = Object.entries(columns).map(([member, kind]) => [member, codecOf(kind).read] as const)
  if (whole !== undefined) {
    const absent = Object.fromEntries(whole.map((member) => [member, undefined]))
    // Only `writeRow` writes this content, always from a Row.
    return (stored) => ({ ...absent, ...JSON.parse(String(stored[0])) }) as Row
  }
  return (stored) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]
      // A driver returns the stored value or null.
      if (entry !== undefined) row[entry[0]] = entry[1]((stored[at] ?? null) as Stored)
    }
    // Every member of Row has a column, so the row is complete.
    return row as Row
  }
}

/** Converts a row to stored values, in the order of {@link columnsOf}. */
export const writeRow = ({ columns, whole }: Pick<RowKind, "columns" | "whole">): ((row: unknown) => Array<Stored>) => {
  const entries = Object.entries(columns).map(([member, kind]) => [member, codecOf(kind).write] as const)
  return (row) => {
    const members = row as Readonly<Record<string, unknown>>
    const stored = entries.map(([member, write]) => write(members[member]))
    if (whole !== undefined) stored.push(JSON.stringify(row))
    return stored
  }
}
