import type { ColumnKind, Command, RowKind } from "@postern/core/model"

/** A value as Redis keeps it; undefined is a column that is not there. */
export type Text = string | undefined

/** Writes a value: half a surrogate pair is no character, and nothing but characters can be sent. */
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

/** Writes some members, without those that are absent. */
const writtenAll = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const text = written(value)
      return text === undefined ? [] : [[name, text]]
    }),
  )

/** A command as the functions take it. */
export const writtenCommand = ({ whole, columns }: RowKind, { table, event, given, row }: Command): object => {
  if (row === undefined) return { t: table, e: event, g: writtenAll(given) }
  // A row is a plain object, whatever its type calls it.
  const members = row as Readonly<Record<string, unknown>>
  const kept = Object.fromEntries(Object.keys(columns).map((member) => [member, members[member]]))
  return { t: table, e: event, g: writtenAll(given), r: { ...writtenAll(kept), ...(whole === undefined ? {} : { content: written(row) }) } }
}

/** Reads a row from its columns. */
export const readRow = <Row>({ columns, whole }: RowKind<Row>): ((stored: Readonly<Record<string, string>>) => Row) => {
  if (whole !== undefined) {
    const absent = Object.fromEntries(whole.map((member) => [member, undefined]))
    // Written above from a Row, and by nobody else.
    return ({ content = "{}" }) => ({ ...absent, ...JSON.parse(content) }) as Row
  }
  const members = Object.entries(columns)
  // Every member of Row has its column, so every member is there.
  return (stored) => Object.fromEntries(members.map(([member, kind]) => [member, read(kind, stored[member])])) as Row
}
