import type { ColumnKind, RowKind } from "@postern/core/model"
import { columnName, columnOf, type Dialect } from "@postern/stores/rows"

/** Casts a value from JSON to the type of its column. */
const castOf = (value: string, kind: ColumnKind | undefined): string =>
  kind?.startsWith("integer") === true || kind?.startsWith("flag") === true ? `(${value})::bigint` : value

const common = {
  named: (table: string): string => `postern.${table}`,
  greatest: "greatest",
  position: "strpos",
}

/** The dialect of statements in the commit function, whose values come from the JSON of `command`. */
export const inFunction: Dialect = {
  ...common,
  given: (name, kind) => castOf(`command->>'${name}'`, kind),
  insert: ({ name }) => `INSERT INTO postern.${name} AS t SELECT * FROM jsonb_populate_record(NULL::postern.${name}, command->'row')`,
  put: (column, kind) => castOf(`command->'row'->>'${column}'`, kindOfColumn(column, kind)),
  // Unless a row is found through a list, the condition must not match a partial index of the rows where the column is NULL. PostgreSQL
  // might scan that index from end to end although another index finds the row.
  unset: (member, kind, event) => {
    const lists = Object.values(kind.lists).filter(({ all }) => all.some(([column, is]) => column === member && is === "unset"))
    const listed = lists.every(({ all }) => all.some(([column, is]) => is === "equal" && event?.by?.[column] !== undefined))
    return listed ? `t.${columnOf(member)} IS NULL` : `num_nulls(t.${columnOf(member)}) = 1`
  },
}

const kindOfColumn = (column: string, { columns }: RowKind): ColumnKind | undefined =>
  Object.entries(columns).find(([member]) => columnName(member) === column)?.[1]

/** The dialect of queries. Values are parameters, in the order of `names`. */
export const inQuery = (names: Array<string>): Dialect => ({
  ...common,
  given: (name) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  },
  insert: () => "",
  put: () => "",
  unset: (member) => `t.${columnOf(member)} IS NULL`,
})
