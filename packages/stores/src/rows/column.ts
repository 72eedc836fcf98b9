import type { ColumnKind, RowKind } from "@postern/core/model"

/** The form in which a database keeps a value. */
export type Stored = string | number | null

/** The two ways between a member of a row and its column. */
export interface Codec {
  readonly write: (value: unknown) => Stored
  readonly read: (stored: Stored) => unknown
}

const codecs: Readonly<Record<string, Codec>> = {
  text: { write: (value) => value as string, read: String },
  integer: { write: (value) => value as number, read: Number },
  /** 1 or 0. */
  flag: { write: (value) => (value === true ? 1 : 0), read: (stored) => stored === 1 },
  json: { write: (value) => JSON.stringify(value), read: (stored) => JSON.parse(String(stored)) },
}

/** A value that may be absent is NULL then. */
const optional = ({ write, read }: Codec): Codec => ({
  write: (value) => (value === undefined || value === null ? null : write(value)),
  read: (stored) => (stored === null ? undefined : read(stored)),
})

const optionals: Readonly<Record<string, Codec>> = Object.fromEntries(
  Object.entries(codecs).map(([name, codec]) => [`${name}?`, optional(codec)]),
)

/** The codec of a kind of column. */
export const codecOf = (kind: ColumnKind): Codec => {
  const codec = codecs[kind] ?? optionals[kind]
  if (codec === undefined) throw new Error(`no column is of the kind ${kind}`)
  return codec
}

/** The codec of a kind of column, where a value may be absent all the same. */
export const optionalCodecOf = (kind: ColumnKind): Codec => codecOf(kind.endsWith("?") ? kind : (`${kind}?` as ColumnKind))

/** The name of a column: `clientId` is kept in `client_id`. */
export const columnName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A name as statements write it: quoted, so that no word of SQL is mistaken (SQL-92 §5.2). */
export const identifier = (name: string): string => `"${name}"`

/** The column of a member, as statements write it. */
export const columnOf = (member: string): string => identifier(columnName(member))

/** The columns of a kind of row as a database has them: the last is the row itself where it is kept whole. */
export const columnsOf = ({ columns, whole }: Pick<RowKind, "columns" | "whole">): ReadonlyArray<string> => [
  ...Object.keys(columns).map(columnName),
  ...(whole === undefined ? [] : ["content"]),
]

/** The columns that a row is read from: the row itself is all it takes where that is kept. */
export const selectedOf = (kind: Pick<RowKind, "columns" | "whole">): ReadonlyArray<string> =>
  kind.whole === undefined ? columnsOf(kind) : ["content"]

/** Reads a row from what is stored of it, in the order of {@link selectedOf}. */
export const readRow = <Row>({ columns, whole }: RowKind<Row>): ((stored: ReadonlyArray<unknown>) => Row) => {
  const entries = Object.entries(columns).map(([member, kind]) => [member, codecOf(kind).read] as const)
  if (whole !== undefined) {
    const absent = Object.fromEntries(whole.map((member) => [member, undefined]))
    // Written below from a Row, and by nobody else.
    return (stored) => ({ ...absent, ...JSON.parse(String(stored[0])) }) as Row
  }
  return (stored) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]
      // A driver gives what was stored, or null.
      if (entry !== undefined) row[entry[0]] = entry[1]((stored[at] ?? null) as Stored)
    }
    // Every member of Row has its column, so every member is there.
    return row as Row
  }
}

/** The stored form of a row, in the order of {@link columnsOf}. */
export const writeRow = ({ columns, whole }: Pick<RowKind, "columns" | "whole">): ((row: unknown) => Array<Stored>) => {
  const entries = Object.entries(columns).map(([member, kind]) => [member, codecOf(kind).write] as const)
  return (row) => {
    const members = row as Readonly<Record<string, unknown>>
    const stored = entries.map(([member, write]) => write(members[member]))
    if (whole !== undefined) stored.push(JSON.stringify(row))
    return stored
  }
}
