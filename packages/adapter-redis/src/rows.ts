import type { ColumnKind, Command, RowKind } from "@postern/core/model"

/** A value as stored in Redis; undefined for an absent column. */
export type Text = string | undefined

/** Encodes a value. Unpaired surrogates are replaced, because they cannot be encoded in UTF-8. */
export const written = (value: unknown): Text => {
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value === "boolean") return value ? "1" : "0"
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? each.toWellFormed() : each))
}

const read = (kind: ColumnKind, text: Text): unknown => {
  if (text === undefined) return undefined
  const kept = kind.replace("?", "")
  if (kept === "text") return text
  if (kept === "integer") return Number(text)
  return kept === "flag" ? text === "1" : JSON.parse(text)
}

/** Encodes some members, without absent ones. */
const writtenAll = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const text = written(value)
      return text === undefined ? [] : [[name, text]]
    }),
  )

/** Encodes a command for the functions. */
export const writtenCommand = ({ whole, columns }: RowKind, { table, event, given, row }: Command): object => {
  if (row === undefined) return { t: table, e: event, g: writtenAll(given) }
  // A row is a plain object, whatever its declared type.
  const members = row as Readonly<Record<string, unknown>>
  const kept = Object.fromEntries(Object.keys(columns).map((member) => [member, members[member]]))
  return { t: table, e: event, g: writtenAll(given), r: { ...writtenAll(kept), ...(whole === undefined ? {} : { content: written(row) }) } }
}

/** Creates a function that decodes a row from its columns. */
export const readRow = <Row>({ columns, whole }: RowKind<Row>): ((stored: Readonly<Record<string, string>>) => Row) => {
  if (whole !== undefined) {
    const absent = Object.fromEntries(whole.map((member) => [member, undefined]))
    // The content was encoded above from a Row.
    return ({ content = "{}" }) => ({ ...absent, ...JSON.parse(content) }) as Row
  }
  const members = Object.entries(columns)
  // Every member of Row has a column, so the object is complete.
  return (stored) => Object.fromEntries(members.map(([member, kind]) => [member, read(kind, stored[member])])) as Row
}
