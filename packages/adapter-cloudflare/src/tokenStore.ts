import type { Sweep } from "@postern/core/memory"
import { type Command, type CommitResult, type Grant, grants, type Instant, type RowKind } from "@postern/core/model"
import { after, type Awaitable, type FoundBy, foundWithGrant, listed, readsOf, type TokenStorePort } from "@postern/core/ports"
import { secondsOf } from "@postern/core/options"
import { binding, columnOf, eachEvent, identifier, listOf, membersOf, readRow, selectedOf, sqlite, type Stored } from "@postern/stores/sql"
import type { Database } from "./database.ts"
import { statementsOf } from "./statements.ts"

/** A token store in a Cloudflare database. Every failure is a `StoreUnavailable`. */
export interface CloudflareTokenStore extends TokenStorePort {
  /** Runs all commands or none, in one transaction and one message. */
  readonly commit: (commands: ReadonlyArray<Command>) => Awaitable<CommitResult>
  /** Deletes one slice of expired rows. Call it again while there is more; any number of Workers may sweep concurrently. */
  readonly sweep: (now: Instant) => Awaitable<Sweep>
}

/** The maximum number of rows of each table that one sweep deletes. */
const slice = 200

/** The statements for one kind of row. */
interface Table {
  readonly name: string
  readonly selected: (alias: string) => string
  readonly read: (stored: ReadonlyArray<Stored>) => unknown
  /** The number of selected columns. */
  readonly width: number
  readonly lists: Readonly<Record<string, (given: FoundBy) => { readonly sql: string; readonly values: ReadonlyArray<Stored> }>>
}

/** Creates a token store for some kinds of row, each in the table returned by `named`. */
export const tokenStoreOn = (
  database: Database,
  kinds: ReadonlyArray<RowKind>,
  named: (kind: RowKind) => RowKind,
): CloudflareTokenStore => {
  const tables = new Map(kinds.map((kind) => [kind.name, tableOf(named(kind))] as const))
  const statementsOfEvent = eachEvent(kinds, (kind, event) => statementsOf(database, named(kind), event))
  const on = ({ name }: RowKind): Table => tables.get(name) ?? missing(`the store keeps no table ${name}`)
  // The rows are of the requested kind.
  const read = <Row>({ read }: Table, stored: ReadonlyArray<Stored> | undefined): Row | undefined => stored && (read(stored) as Row)

  const reads = readsOf({
    find: <Row>(kind: RowKind<Row>, key: FoundBy) => {
      const table = on(kind)
      const members = membersOf(kind, key)
      const where = members.map((member) => `t.${columnOf(member)} = ?`).join(" AND ")
      const sql = `SELECT ${table.selected("t")} FROM ${table.name} AS t WHERE ${where}`
      const values = members.map((member) => key[member] ?? null)
      return after(database.ask(`read ${kind.called}`, [{ sql, values }]), ([rows]) => read<Row>(table, rows?.[0]))
    },
    findWithGrant: <Row>(kind: RowKind<Row>, key: FoundBy) => {
      const [table, granted] = [on(kind), on(grants)]
      const [ofGrant, member] = [kind.ofGrant ?? "", kind.key[0] ?? ""]
      const joined = `LEFT JOIN ${granted.name} AS g ON g."id" = t.${columnOf(ofGrant)}`
      const sql = `SELECT ${table.selected("t")}, ${granted.selected("g")} FROM ${table.name} AS t ${joined} WHERE t.${columnOf(member)} = ?`
      return after(database.ask(`read ${kind.called}`, [{ sql, values: [key[member] ?? null] }]), ([rows]) => {
        const stored = rows?.[0]
        const row = read<Row>(table, stored)
        if (stored === undefined || row === undefined) return undefined
        const ofIt = stored.slice(table.width)
        const grant = ofIt[0] === null ? undefined : read<Grant>(granted, ofIt)
        return foundWithGrant(kind, row, grant)
      })
    },
    list: <Row>(kind: RowKind<Row>, name: string, given: FoundBy) => {
      const table = on(kind)
      const list = table.lists[name] ?? missing(`${kind.name} has no list ${name}`)
      return after(database.ask(`list ${kind.name}`, [list(given)]), ([rows = []]) => rows.map((stored) => table.read(stored) as Row))
    },
  })

  return {
    keeps: (table) => tables.has(table),
    ...reads,
    commit: (commands) => {
      const statements = commands.flatMap((command) => statementsOfEvent(command.event)(command))
      return statements.length === 0 ? "Committed" : database.commit("commit", statements)
    },
    sweep: sweeper(database, kinds.map(named)),
  }
}

const missing = (text: string): never => {
  throw new Error(text)
}

const tableOf = (kind: RowKind): Table => {
  const columns = selectedOf(kind)
  const name = identifier(kind.name)
  const selected = (alias: string): string =>
    columns.map((each) => `${alias}.${identifier(each)} AS ${identifier(`${alias}_${each}`)}`).join(", ")
  const listing = Object.entries(kind.lists).map(([list, told]) => {
    const { dialect, values } = binding(kind, sqlite)
    const { where, order } = listOf(dialect, kind, told)
    const sql = `SELECT ${selected("t")} FROM ${name} AS t WHERE ${where} ORDER BY ${order} LIMIT ${listed}`
    return [list, (given: FoundBy) => ({ sql, values: values({ given }) as ReadonlyArray<Stored> })] as const
  })
  return { name, selected, read: readRow(kind), width: columns.length, lists: Object.fromEntries(listing) }
}

/** Deletes expired rows, oldest first, one slice of each table at a time. One query determines which tables have any. */
const sweeper = (database: Database, kinds: ReadonlyArray<RowKind>): CloudflareTokenStore["sweep"] => {
  const leaving = kinds.flatMap(({ name, key, keptUntil, endless }) => {
    if (keptUntil === undefined) return []
    const [table, until, keys] = [identifier(name), columnOf(keptUntil), key.map(columnOf).join(", ")]
    const due = `FROM ${table} WHERE ${endless ? `${until} > 0 AND ` : ""}${until} <= ?1`
    return [
      {
        any: `EXISTS (SELECT 1 ${due})`,
        remove: `DELETE FROM ${table} WHERE (${keys}) IN (SELECT ${keys} ${due} ORDER BY ${until} LIMIT ${slice})`,
      },
    ]
  })
  const look = `SELECT ${leaving.map(({ any }, at) => `${any} AS "due_${at}"`).join(", ")}`
  const counted = { sql: "SELECT changes() AS count", values: [] }
  return (asked) => {
    const now = secondsOf("sweep: now: is", asked)
    if (leaving.length === 0) return { removed: 0, more: false }
    return after(database.ask("sweep", [{ sql: look, values: [now] }]), ([[found = []] = []]) => {
      const due = leaving.filter((_, at) => found[at] === 1)
      if (due.length === 0) return { removed: 0, more: false }
      const removing = due.flatMap(({ remove }) => [{ sql: remove, values: [now] }, counted])
      return after(database.ask("sweep", removing), (rows) => {
        const counts = rows.map(([first]) => Number(first?.[0] ?? 0))
        return { removed: counts.reduce((sum, each) => sum + each, 0), more: counts.includes(slice) }
      })
    })
  }
}
