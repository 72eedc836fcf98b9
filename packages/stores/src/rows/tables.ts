import { type RowKind, rowKinds } from "@postern/core/model"
import { columnName, columnOf, columnsOf, identifier } from "./column.ts"

/** The syntax of a database for creating tables. */
export interface TableDialect {
  /** The quoted name of a table. */
  readonly named: (table: string) => string
  /**
   * The type of a column. Some databases have a type of their own for texts that rows are found by. The length of a key's column may depend
   * on the number of the key's members (0 if it is in no key).
   */
  readonly type: (kept: "text" | "integer" | "flag" | "json", finds: boolean, ofKey: number) => string
  /** The text after the columns of a new table. */
  readonly ending: (kind: RowKind) => string
  /** The key column of a slotted table, in place of its locator. Left out if the database has no slots. */
  readonly slot?: string
  /** The clause before a name that may already exist when the statement runs. */
  readonly unless: string
  /** The clause before a column name that may already exist. Default: `unless`. */
  readonly unlessColumn?: string
  /** Statements to run after a table is created. */
  readonly after: (table: string) => ReadonlyArray<string>
  /** The prefix of an index name. Default: the name of the table. */
  readonly index?: (table: string) => string
  /** True if tables need an index on the member that names the parent row. Core's own tables have it in their migrations. */
  readonly descended?: boolean
  /** An index as part of CREATE TABLE, for a database that cannot roll back the creation of a table. */
  readonly within?: (name: string, columns: ReadonlyArray<readonly [name: string, kept: string]>) => string
  /** Reports whether a sweep needs an index on expiry times. */
  readonly indexed: (kind: RowKind) => boolean
}

/** The existing columns of a table by name, true for those that are NOT NULL. Empty if there is no such table. */
export type ColumnsThere = ReadonlyMap<string, boolean>

/** The kinds of row that features add. Their tables are made from their descriptions, those of core by migrations. */
export const kindsOfFeatures = (kinds: ReadonlyArray<RowKind>): ReadonlyArray<RowKind> =>
  kinds.filter(({ name }) => !rowKinds.some((kind) => kind.name === name))

/**
 * Returns the statements that create the table of a kind or add its missing columns, or none if it is up to date. Throws a `TypeError` if
 * the existing rows do not fit the description, because only optional columns can be added and a NOT NULL column cannot be left out.
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

/** The columns by which rows are found or listed. */
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
    // A column that is not described contains the whole row.
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

/**
 * The columns of each index: one per list, by its equality conditions and then its order, one per event that finds rows by other columns,
 * one for the sweep, and one for descendants.
 */
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
