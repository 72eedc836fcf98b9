import { type RowKind, rowKinds } from "@postern/core/model"
import { columnName, columnOf, columnsOf, identifier } from "./column.ts"

/** A database's own words for making a table. */
export interface TableDialect {
  /** The table as statements name it. */
  readonly named: (table: string) => string
  /**
   * The type of a column: a text that finds rows has one of its own in some databases, and one of a key a length that depends on how many
   * members the key has (0 where it is of none).
   */
  readonly type: (kept: "text" | "integer" | "flag" | "json", finds: boolean, ofKey: number) => string
  /** The words after the columns of a new table. */
  readonly ending: (kind: RowKind) => string
  /** The column that is the key of a slotted table, in place of its locator; left out where there is no such thing. */
  readonly slot?: string
  /** The words before a name that may exist already by the time its statement runs. */
  readonly unless: string
  /** The words before the name of a column that may exist already by then; `unless` when left out. */
  readonly unlessColumn?: string
  /** Statements after those that make a table. */
  readonly after: (table: string) => ReadonlyArray<string>
  /** The beginning of the name of an index; the name of the table when left out. */
  readonly index?: (table: string) => string
  /** True if rows are found by the member that names the row above them, which the tables of core have in their migrations. */
  readonly descended?: boolean
  /** An index said within the table's own statement, for a database that cannot take a statement back that makes a table. */
  readonly within?: (name: string, columns: ReadonlyArray<readonly [name: string, kept: string]>) => string
  /** Reports whether a sweep needs an index of the moments at which rows leave. */
  readonly indexed: (kind: RowKind) => boolean
}

/** The columns that a database has of a table, by name, each with the fact that it is never NULL; empty where there is no such table. */
export type ColumnsThere = ReadonlyMap<string, boolean>

/** The kinds of features among those that a store keeps: their tables are made from their descriptions, those of core by migrations. */
export const kindsOfFeatures = (kinds: ReadonlyArray<RowKind>): ReadonlyArray<RowKind> =>
  kinds.filter(({ name }) => !rowKinds.some((kind) => kind.name === name))

/** The tables of features whose rows a restored copy must lose: any of them may have been spent since. */
export const spendable = (kinds: ReadonlyArray<RowKind>): ReadonlyArray<string> =>
  kindsOfFeatures(kinds).flatMap(({ name, restored }) => (restored === "removed" ? [name] : []))

/**
 * The statements that make the table of a kind, or add the columns that it lacks; none where it is as described. Throws a `TypeError` for a table whose
 * rows do not fit the description: only columns that may be absent can be added, and none that is never NULL can be left.
 */
export const tableStatements = (dialect: TableDialect, kind: RowKind, there: ColumnsThere): ReadonlyArray<string> => {
  const table = dialect.named(kind.name)
  const described = columnsIn(dialect, kind)
  if (there.size === 0)
    return [
      `CREATE TABLE${dialect.unless} ${table} (${partsOf(dialect, kind, described).join(", ")})${dialect.ending(kind)}`,
      ...(dialect.within !== undefined ? [] : indexesOf(dialect, kind)),
    ]
  const slotName = kind.slotted === true ? dialect.slot?.split(" ")[0] : undefined
  if (slotName !== undefined && !there.has(slotName))
    throw new TypeError(`table ${kind.name}: its rows have no slots; name another table, or describe them without`)
  const missing = described.filter(({ name }) => !there.has(name))
  const required = missing.find(({ isOptional }) => !isOptional)
  const left = [...there].find(([name, isRequired]) => isRequired && !described.some((column) => column.name === name))
  if (required !== undefined)
    throw new TypeError(`table ${kind.name}: its rows lack ${required.name}; describe it as one that may be absent, or name another table`)
  if (left !== undefined) throw new TypeError(`table ${kind.name}: its column ${left[0]} is described no longer; name another table`)
  return missing.map(
    ({ name, type }) => `ALTER TABLE ${table} ADD COLUMN${dialect.unlessColumn ?? dialect.unless} ${identifier(name)} ${type}`,
  )
}

interface Column {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
}

/** The columns that a row is found or listed by. */
const finding = ({ key, unique, events, lists }: RowKind): ReadonlySet<string> =>
  new Set(
    [...key, ...unique, ...Object.values(events).flatMap(({ by = {} }) => Object.keys(by))]
      .concat(Object.values(lists).flatMap(({ all }) => all.map(([member]) => member)))
      .map(columnName),
  )

const columnsIn = (dialect: TableDialect, kind: RowKind): ReadonlyArray<Column> => {
  const found = finding(kind)
  const keys = [kind.key, ...kind.unique.map((member) => [member])].map((members) => members.map(columnName))
  const ofKey = (name: string): number => Math.max(0, ...keys.map((names) => (names.includes(name) ? names.length : 0)))
  const kinds = Object.values(kind.columns)
  return columnsOf(kind).map((name, at) => {
    // Beyond those that are described is the row itself.
    const described = kinds[at] ?? "json"
    const isOptional = described.endsWith("?")
    return { name, isOptional, type: dialect.type(described.replace("?", "") as "text", found.has(name), ofKey(name)) }
  })
}

const partsOf = (dialect: TableDialect, kind: RowKind, columns: ReadonlyArray<Column>): ReadonlyArray<string> => {
  const { key, unique, slotted } = kind
  const slot = slotted === true ? dialect.slot : undefined
  return [
    ...(slot === undefined ? [] : [slot]),
    ...columns.map(({ name, type, isOptional }) => `${identifier(name)} ${type}${isOptional ? "" : " NOT NULL"}`),
    ...(slot === undefined ? [`PRIMARY KEY (${key.map(columnOf).join(", ")})`] : []),
    ...unique.map((member) => `UNIQUE (${columnOf(member)})`),
    ...indexesWithin(dialect, kind),
  ]
}

/** The columns of an index for each list, by what its rows have in common and then their order; of one for the sweep; of one for each event that finds rows otherwise. */
const indexed = (dialect: TableDialect, kind: RowKind): ReadonlyArray<ReadonlyArray<string>> => {
  const listed = Object.values(kind.lists).map(({ all, order }) => [
    ...all.filter(([, is]) => is === "equal").map(([member]) => member),
    ...order.map(([member]) => member),
  ])
  const selected = Object.values(kind.events).flatMap(({ by }) => (by === undefined ? [] : [Object.keys(by)]))
  const swept = kind.keptUntil !== undefined && dialect.indexed(kind) ? [[kind.keptUntil]] : []
  const descended = kind.descent === undefined || dialect.descended !== true ? [] : [[kind.descent.from]]
  const lists = new Map(
    [...listed, ...selected, ...swept, ...descended].map((members) => [[...new Set(members)].join(), [...new Set(members)]]),
  )
  lists.delete(kind.key.join())
  return [...lists.values()]
}

const indexesWithin = ({ within, ...dialect }: TableDialect, kind: RowKind): ReadonlyArray<string> =>
  within === undefined
    ? []
    : indexed(dialect, kind).map((members, at) =>
        within(
          `${kind.name}_by_${at + 1}`,
          members.map((member) => [columnOf(member), String(kind.columns[member]).replace("?", "")] as const),
        ),
      )

const indexesOf = (dialect: TableDialect, kind: RowKind): ReadonlyArray<string> => [
  ...indexed(dialect, kind).map(
    (members, at) =>
      `CREATE INDEX${dialect.unless} ${dialect.index?.(kind.name) ?? kind.name}_by_${at + 1} ON ${dialect.named(kind.name)} (${members.map(columnOf).join(", ")})`,
  ),
  ...dialect.after(dialect.named(kind.name)),
]
