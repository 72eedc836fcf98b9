import { type Grant, grants, type RowKind } from "@postern/core/model"
import { type FoundBy, foundWithGrant, listed, readsOf, type TokenStorePort } from "@postern/core/ports"
import { binding, columnOf, listOf, membersOf } from "@postern/stores/rows"
import type { Database, Statements } from "./database.ts"
import type { Tables } from "./load.ts"
import type { Table } from "./table.ts"

/** Creates the reads of a token store. */
export const readsOn = (
  database: Database,
  { of, speech }: Tables,
): Omit<TokenStorePort, "recentAttempts" | "commit" | "durable" | "keeps"> => {
  // The table was found by the name of the kind, so its rows have that kind's type.
  const tableOf = <Row>({ name }: RowKind<Row>): Table<Row> => of(name) as Table<Row>

  const lists = new Map<string, (statements: Statements, given: FoundBy) => Promise<ReadonlyArray<unknown>>>()
  const listFrom = (kind: RowKind, name: string) => {
    const table = tableOf(kind)
    const listing = kind.lists[name]
    if (listing === undefined) throw new Error(`${kind.name} has no list ${name}`)
    const { dialect, values } = binding(kind, speech.words)
    const { where, order } = listOf(dialect, kind, listing)
    const sql = `SELECT ${table.selected()} FROM ${table.name} AS t WHERE ${where} ORDER BY ${order} LIMIT ${listed}`
    return async (statements: Statements, given: FoundBy) =>
      (await statements.rows(sql, values({ given }))).map((found) => table.read(found))
  }

  return readsOf({
    find: async (kind, key) => {
      const table = tableOf(kind)
      const members = membersOf(kind, key)
      const [found] = await database.alone(`read ${kind.called}`).rows(
        `SELECT ${table.selected()} FROM ${table.name} WHERE ${table.among(members, [[]])}`,
        members.map((member) => key[member]),
      )
      return found && table.read(found)
    },
    findWithGrant: async (kind, key) => {
      const [table, granted] = [tableOf(kind), tableOf(grants)]
      const ofGrant = kind.ofGrant ?? ""
      const [member = ""] = kind.key
      const [found] = await database
        .alone(`read ${kind.called}`)
        .rows(
          `SELECT ${table.selected("t")}, ${granted.selected("g")} FROM ${table.name} AS t LEFT JOIN ${granted.name} AS g ON g."id" = t.${columnOf(ofGrant)} WHERE t.${columnOf(member)} = ?`,
          [key[member]],
        )
      const row = found && table.read(found, "t")
      if (found === undefined || row === undefined) return undefined
      const grant: Grant | undefined = granted.read(found, "g")
      return foundWithGrant(kind, row, grant)
    },
    list: async (kind, name, given) => {
      const key = `${kind.name} ${name}`
      const list = lists.get(key) ?? listFrom(kind, name)
      lists.set(key, list)
      // The rows are of the requested kind.
      return (await list(database.alone(`list ${kind.name}`), given)) as never
    },
  })
}
