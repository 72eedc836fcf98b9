import type { RowKind } from "@postern/core/model"
import { type FoundBy, listed } from "@postern/core/ports"
import { type Bound, identifier, listOf, type Stored } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { binding } from "./binding.ts"
import { onceUsed } from "./onceUsed.ts"
import { tableOf } from "./table.ts"

/** Reads of one kind of row. */
export interface Reads<Row> {
  /** Finds a row by its key or by a secondary key. */
  readonly find: (key: FoundBy) => Row | undefined
  /** Returns the rows of the given list. */
  readonly list: (name: string, given: FoundBy) => ReadonlyArray<Row>
  /** Returns the id of the grant that a row was made from. */
  readonly grantOf: (row: Row) => string | undefined
}

/** Returns the reads of one kind of row. Each statement is prepared when it is first used. */
export const readsOn = <Row>(database: Database, kind: RowKind<Row>): Reads<Row> => {
  const { find, selected, read } = tableOf(database, kind)
  const secondary = kind.unique.map((member) => [member, tableOf(database, kind, [member]).find] as const)
  const lists = new Map(
    Object.entries(kind.lists).map(([name, listing]) => {
      const prepared = onceUsed(() => {
        const { dialect, values } = binding(kind)
        const { where, order } = listOf(dialect, kind, listing)
        const sql = `SELECT ${selected} FROM ${identifier(kind.name)} AS t WHERE ${where} ORDER BY ${order} LIMIT ${listed}`
        return { values, statement: database.prepare<Array<Bound>, Array<Stored>>(sql).raw() }
      })
      return [
        name,
        (given: FoundBy) => {
          const { values, statement } = prepared()
          return statement.all(...values({ given })).map(read)
        },
      ] as const
    }),
  )
  const [first = "", ...others] = kind.key
  return {
    find: (key) => {
      const value = key[first]
      if (value === undefined) for (const [member, look] of secondary) if (key[member] !== undefined) return look(String(key[member]))
      return others.length === 0 ? find(String(value)) : find(String(value), ...others.map((member) => String(key[member])))
    },
    list: (name, given) => {
      const list = lists.get(name)
      if (list === undefined) throw new Error(`${kind.name} has no list ${name}`)
      return list(given)
    },
    grantOf: (row) => {
      const id = (row as Readonly<Record<string, unknown>>)[kind.ofGrant ?? ""]
      return typeof id === "string" ? id : undefined
    },
  }
}
