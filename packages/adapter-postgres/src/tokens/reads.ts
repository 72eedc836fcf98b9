import { type Grant, grants, type RowKind } from "@postern/core/model"
import { type FoundBy, listed, type WithGrant, foundWithGrant } from "@postern/core/ports"
import { columnOf, kindOf, kinds, listOf, optionalCodecOf } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { lookupOf } from "../database/lookup.ts"
import type { ReadAhead } from "../database/readAhead.ts"
import { inQuery } from "./dialect.ts"
import { type Table, tableOf } from "./table.ts"

/** Reads of one kind of row. */
export interface Reads<Row> {
  /** Finds a row by its key or by a secondary key. */
  readonly find: (key: FoundBy) => Promise<Row | undefined>
  /** Finds a row together with its grant, in one statement. */
  readonly findWithGrant: (key: FoundBy) => Promise<WithGrant<Row> | undefined>
  /** Returns the rows of the given list. */
  readonly list: (name: string, given: FoundBy) => Promise<ReadonlyArray<Row>>
}

/** Prepares the reads of one kind of row. */
export const readsOn = <Row>(database: Database, kind: RowKind<Row>, people?: ReadAhead): Reads<Row> => {
  const table = tableOf(database, kind)
  const operation = `read ${kind.called}`
  const [first = "", ...others] = kind.key
  const granted = kind.name === grants.name && people !== undefined ? withGrantee(database, people) : undefined
  const byMember = [first, ...kind.unique].map((member) => [member, table.lookup(operation, member)] as const)
  const lists = new Map(Object.entries(kind.lists).map(([name, listing]) => [name, listFrom(kind, table, listing)] as const))
  return {
    find: async (key) => {
      // `granted` is set only for grants, so it reads rows of this kind.
      if (granted !== undefined) return granted(String(key[first])) as Promise<Row | undefined>
      if (key[first] !== undefined && others.length > 0) return table.find(operation, ...kind.key.map((member) => String(key[member])))
      for (const [member, look] of byMember) if (key[member] !== undefined) return look(String(key[member]))
      return undefined
    },
    findWithGrant: kind.ofGrant === undefined ? async () => undefined : rowsWithGrant(database, kind, table, kind.ofGrant, people),
    list: async (name, given) => {
      const list = lists.get(name)
      if (list === undefined) throw new Error(`${kind.name} has no list ${name}`)
      return list(given)
    },
  }
}

const rowsWithGrant = <Row>(database: Database, kind: RowKind<Row>, table: Table<Row>, ofGrant: string, people: ReadAhead | undefined) => {
  const operation = `read ${kind.called}`
  const granted = tableOf(database, grants)
  const users = tableOf(database, kinds.users)
  const until = table.width + granted.width
  const look = lookupOf(database, {
    operation,
    columns: `${table.selectedFrom("t")}, ${granted.selectedFrom("g")}${people === undefined ? "" : `, ${users.selectedFrom("u")}`}`,
    from: `${table.name} t LEFT JOIN ${granted.name} g ON g.id = t.${columnOf(ofGrant)}${
      people === undefined ? "" : ` LEFT JOIN ${users.name} u ON u.subject = g.subject`
    }`,
    key: `t.${columnOf(kind.key[0] ?? "")}`,
  })
  return async (key: FoundBy): Promise<WithGrant<Row> | undefined> => {
    const keep = people?.reading()
    const found = await look(String(key[kind.key[0] ?? ""]))
    if (found === undefined) return undefined
    const row = table.read(operation, found.slice(0, table.width))
    // A grant's id is never null, nor is a person's subject.
    const grant: Grant | undefined = found[table.width] === null ? undefined : granted.read(operation, found.slice(table.width, until))
    if (grant !== undefined && keep !== undefined && found[until] !== null) keep(grant.subject, found.slice(until))
    return foundWithGrant(kind, row, grant)
  }
}

/** Finds a grant and keeps its person for the next reader. */
const withGrantee = (database: Database, people: ReadAhead): ((id: string) => Promise<Grant | undefined>) => {
  const operation = "read a grant"
  const [granted, users] = [tableOf(database, grants), tableOf(database, kinds.users)]
  const look = lookupOf(database, {
    operation,
    columns: `${granted.selectedFrom("g")}, ${users.selectedFrom("u")}`,
    from: `${granted.name} g LEFT JOIN ${users.name} u ON u.subject = g.subject`,
    key: "g.id",
  })
  return async (id) => {
    const keep = people.reading()
    const found = await look(id)
    if (found === undefined) return undefined
    const grant = granted.read(operation, found.slice(0, granted.width))
    if (found[granted.width] !== null) keep(grant.subject, found.slice(granted.width))
    return grant
  }
}

/**
 * Prepares the statement of a list. For a list in key order, the condition and the order are written so that only the index that begins
 * with the listed member provides that order. Otherwise PostgreSQL might scan the rows of all members.
 */
const listFrom = <Row>(kind: RowKind<Row>, table: Table<Row>, listing: RowKind["lists"][string]) => {
  const names: Array<string> = []
  const { where, order } = listOf(inQuery(names), kind, listing)
  const [equal] = listing.all.filter(([, is]) => is === "equal")
  const isByKey = listing.order.length === 1 && listing.order[0]?.[0] === kind.key[0]
  const column = equal && `t.${columnOf(equal[0])}`
  const way = listing.order[0]?.[1] === "up" ? "ASC" : "DESC"
  const sql =
    isByKey && column !== undefined
      ? `${where.replace(`${column} = $1`, `${column} >= $1 AND ${column} <= $1`)} ORDER BY ${column} ${way}, ${order}`
      : `${where} ORDER BY ${order}`
  const kinds = new Map(listing.all.map(([member, , to]) => [String(to).slice(1), kindOf(kind, member)] as const))
  const statement = `SELECT ${table.selectedFrom("t")} FROM ${table.name} t WHERE ${sql} LIMIT ${listed}`
  return (given: FoundBy): Promise<ReadonlyArray<Row>> =>
    table.list(
      `list ${kind.name}`,
      statement,
      names.map((name) => optionalCodecOf(kinds.get(name) ?? "text").write(given[name])),
    )
}
