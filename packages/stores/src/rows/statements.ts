import {
  type Assignment,
  type ColumnKind,
  type Condition,
  givenName,
  type Listing,
  type RowEvent,
  type RowKind,
  type Way,
} from "@postern/core/model"
import { columnName, columnOf, columnsOf, identifier } from "./column.ts"

/** The syntax of a database where SQL has no standard. Statements name the table `t`. */
export interface Dialect {
  /** The quoted name of a table. */
  readonly named: (table: string) => string
  /** The expression for a command's named value, of a column kind. */
  readonly given: (name: string, kind: ColumnKind) => string
  /** The insertion of a command's row, without an ON CONFLICT clause. */
  readonly insert: (kind: RowKind) => string
  /** The expression for a column of a command's row. */
  readonly put: (column: string, kind: RowKind) => string
  /** A condition on rows in addition to their key. Left out if there is none. */
  readonly sought?: (kind: RowKind) => string | undefined
  /** The name of the function that returns the greater of two values. */
  readonly greatest: string
  /** The name of the function that finds a text within another. */
  readonly position: string
  /** The condition that a column is NULL. */
  readonly unset: (member: string, kind: RowKind, event: RowEvent | undefined) => string
}

/** A statement that changes rows, or the part after `SELECT 1` of one that only checks whether a row exists. */
export type Compiled = { readonly change: string } | { readonly look: string }

/**
 * Compiles an event. Its guards become the WHERE clause of a single statement, so that checking and changing are atomic. For an event of
 * several ways, CASE selects the first whose guard is met.
 */
export const compiledEvent = (dialect: Dialect, kind: RowKind, event: RowEvent): Compiled => {
  const { named } = dialect
  const later = event.ways.filter(({ when }) => when !== "absent")
  if (later.length < event.ways.length) {
    if (later.length === 0) return { change: `${dialect.insert(kind)} ON CONFLICT DO NOTHING` }
    const key = kind.key.map(columnOf).join(", ")
    return {
      change: `${dialect.insert(kind)} ON CONFLICT (${key}) DO UPDATE SET ${setsOf(dialect, kind, later, true)} WHERE ${guardsOf(dialect, kind, event, later)}`,
    }
  }
  const [way] = later
  const where = (): string => `${selectionOf(dialect, kind, event)} AND ${guardsOf(dialect, kind, event, later)}`
  if (way?.change === "nothing") return { look: `FROM ${named(kind.name)} AS t WHERE ${where()}` }
  if (way?.change === "remove") return { change: `DELETE FROM ${named(kind.name)} AS t WHERE ${where()}` }
  return { change: `UPDATE ${named(kind.name)} AS t SET ${setsOf(dialect, kind, later, false)} WHERE ${where()}` }
}

/** The condition that finds an event's rows, without its guard. */
export const selectionOf = (dialect: Dialect, kind: RowKind, { by }: RowEvent): string => {
  const sought = by === undefined ? dialect.sought?.(kind) : undefined
  const selected = Object.entries(by ?? Object.fromEntries(kind.key.map((member) => [member, `:${member}`]))).map(([member, operand]) => {
    const column = `t.${columnOf(member)}`
    if (typeof operand === "boolean") return `${column} = ${operand ? 1 : 0}`
    if (typeof operand === "number") return `${column} = ${operand}`
    const value = (): string => dialect.given(givenName(operand), kindOf(kind, member))
    return operand.endsWith("?") ? `(${value()} IS NULL OR ${column} = ${value()})` : `${column} = ${value()}`
  })
  return all([...(sought === undefined ? [] : [sought]), ...selected])
}

/** The members that find a row: its key, or a unique member that is given. */
export const membersOf = ({ key, unique }: RowKind, given: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const secondary = unique.find((member) => given[member] !== undefined)
  return secondary === undefined ? key : [secondary]
}

/** Joins conditions by AND. Without conditions, every row matches. */
const all = (conditions: ReadonlyArray<string>): string => (conditions.length === 0 ? "true" : conditions.join(" AND "))

/**
 * Compiles an event whose only way also applies to descendants of its rows, in every generation. Descendants of a row that does not meet
 * the guard are not reached.
 */
export const descendingOf = (dialect: Dialect, kind: RowKind, event: RowEvent, way: Way): string => {
  const [table, key, from] = [dialect.named(kind.name), columnOf(kind.key[0] ?? ""), columnOf(kind.descent?.from ?? "")]
  return `
    WITH RECURSIVE taken (key) AS (
      SELECT t.${key} FROM ${table} AS t WHERE ${selectionOf(dialect, kind, event)} AND ${guardOf(dialect, kind, event, way)}
      UNION SELECT t.${key} FROM taken JOIN ${table} AS t ON t.${from} = taken.key WHERE ${guardOf(dialect, kind, event, way)}
    )
    UPDATE ${table} AS t SET ${setsOf(dialect, kind, [way], false)} WHERE t.${key} IN taken`
}

/** The condition that a way's guard is met. */
export const guardOf = (dialect: Dialect, kind: RowKind, event: RowEvent | undefined, { when }: Way): string =>
  when === "absent" ? "true" : all(when.map((each) => conditionOf(dialect, kind, event, each)))

const guardsOf = (dialect: Dialect, kind: RowKind, event: RowEvent, ways: ReadonlyArray<Way>): string =>
  ways.length === 1 && ways[0] !== undefined
    ? guardOf(dialect, kind, event, ways[0])
    : `(${ways.map((way) => guardOf(dialect, kind, event, way)).join(" OR ")})`

const conditionOf = (dialect: Dialect, kind: RowKind, event: RowEvent | undefined, [member, is, to]: Condition): string => {
  const column = `t.${columnOf(member)}`
  if (is === "unset") return dialect.unset(member, kind, event)
  if (is === "set") return `${column} IS NOT NULL`
  if (is === "is") return `${column} = ${quoted(String(to))}`
  // A list of texts is stored as JSON. The text is a name without quotes.
  if (is === "contains") return `${dialect.position}(${column}, ${quoted(`"${to}"`)}) > 0`
  const sign = { equal: "=", atMost: "<=", below: "<", above: ">" }[is]
  return `${column} ${sign} ${valueOf(dialect, kind, member, to ?? 0)}`
}

/** The assignments of an event's ways. The first way whose guard is met applies. */
export const setsOf = (dialect: Dialect, kind: RowKind, ways: ReadonlyArray<Way>, isUpsert: boolean): string => {
  const keys = new Set(kind.key.map(columnName))
  const replaced = columnsOf(kind).filter((column) => !keys.has(column))
  const columns = new Set(
    ways.flatMap(({ change }) => (typeof change === "string" ? replaced : change.map(([member]) => columnName(member)))),
  )
  const valueIn = ({ change }: Way, column: string): string => {
    if (typeof change === "string") return isUpsert ? `excluded.${identifier(column)}` : dialect.put(column, kind)
    const assignment = change.find(([member]) => columnName(member) === column)
    return assignment === undefined ? `t.${identifier(column)}` : assignedOf(dialect, kind, assignment)
  }
  const [only, ...others] = ways
  return [...columns]
    .map((column) => {
      if (only !== undefined && others.length === 0) return `${identifier(column)} = ${valueIn(only, column)}`
      const cases = ways.map((way) => `WHEN ${guardOf(dialect, kind, undefined, way)} THEN ${valueIn(way, column)}`)
      return `${identifier(column)} = CASE ${cases.join(" ")} ELSE t.${identifier(column)} END`
    })
    .join(", ")
}

const assignedOf = (dialect: Dialect, kind: RowKind, [member, how, operand]: Assignment): string => {
  const column = `t.${columnOf(member)}`
  if (how === "unset") return "NULL"
  const value = valueOf(dialect, kind, member, operand)
  if (how === "set") return value
  if (how === "setIfGiven") return `coalesce(${value}, ${column})`
  return how === "max" ? `${dialect.greatest}(${column}, ${value})` : `${column} + ${value}`
}

/** The condition that a way changes a row. Rows that already have the maximum of every assignment need not be written. */
export const raisesOf = (dialect: Dialect, kind: RowKind, { change }: Way): string =>
  typeof change === "string"
    ? "true"
    : change
        .map(([member, how, operand]) => (how === "max" ? `t.${columnOf(member)} < ${valueOf(dialect, kind, member, operand)}` : "true"))
        .join(" OR ")

/** The conditions and the order of a listing. */
export const listOf = (dialect: Dialect, kind: RowKind, { all: every, any = [], order }: Listing): { where: string; order: string } => ({
  where: all([
    ...every.map((each) => conditionOf(dialect, kind, undefined, each)),
    ...(any.length === 0 ? [] : [`(${any.map((each) => conditionOf(dialect, kind, undefined, each)).join(" OR ")})`]),
  ]),
  order: order.map(([member, way]) => `t.${columnOf(member)} ${way === "up" ? "ASC" : "DESC"}`).join(", "),
})

/** The column kind of a member. */
export const kindOf = ({ columns, name }: RowKind, member: string): ColumnKind => {
  const kind = columns[member]
  if (kind === undefined) throw new Error(`${name} has no column for ${member}`)
  return kind
}

/** The expression for an operand: the number itself, or the command's value. */
export const valueOf = (dialect: Dialect, kind: RowKind, member: string, operand: string | number): string =>
  typeof operand === "number" ? String(operand) : dialect.given(givenName(operand), kindOf(kind, member))

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
