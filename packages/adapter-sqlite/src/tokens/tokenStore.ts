import { refuseDatabase } from "../database/refuseDatabase.ts"
import { attempts, type Attempts, grants, type Instant, type RowKind, rowKinds, type Use, uses } from "@postern/core/model"
import { type FoundBy, foundWithGrant, readsOf, type TokenStorePort } from "@postern/core/ports"
import { secondsOf } from "@postern/core/options"
import type { Sweep } from "@postern/stores"
import { recentAttempts, type Stored } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import { withoutWaiting } from "../database/lock.ts"
import { applyTo } from "./commands.ts"
import { type CommitTogether, commitsOf, ownResult } from "./commit.ts"
import { type Reads, readsOn } from "./reads.ts"
import { type Spent, spentIn } from "./spent.ts"
import { sweepOf } from "./sweep.ts"
import { tableOf } from "./table.ts"

/** A token store on one SQLite database. Every failure is a `StoreUnavailable`. */
export interface SqliteTokenStore extends TokenStorePort {
  readonly commitTogether: CommitTogether
  /** Sweeps one slice, which takes a few milliseconds. Call it again while there is more. */
  readonly sweep: (now: Instant) => Sweep
  /** Makes the next lookup read the used values again. Call it after another connection's commit for this store has failed. */
  readonly lookAgain: () => void
  /**
   * Reads a slice of the values used before this process began, which takes a millisecond. Returns true once all of them are read. Until
   * then, a commit that claims a value searches the unread ones for it.
   */
  readonly catchUp: () => boolean
}

/**
 * Keeps rows of the given kinds in a database opened by {@link openDatabase}. `reading` is called before each read. `patience` is the time
 * that a sweep waits for a lock, in milliseconds.
 */
export const sqliteTokenStore = (
  database: Database,
  reading: () => void = () => undefined,
  patience = 0,
  kinds: ReadonlyArray<RowKind> = rowKinds,
): SqliteTokenStore => {
  refuseDatabase("sqliteTokenStore", database)
  const spent = kinds.some(({ name }) => name === uses.name) ? spentIn(database) : undefined
  const readsOfKind = (kind: RowKind): Reads<unknown> =>
    kind.name === uses.name && spent !== undefined ? readsOfSpent(spent) : readsOn(database, kind)
  const tables = new Map(kinds.map((kind) => [kind.name, readsOfKind(kind)] as const))
  const commitTogether = commitsOf(database, applyTo(database, kinds, spent), spent)
  const sweep = sweepOf(database, kinds)
  const on = <Row>({ name }: RowKind<Row>): Reads<Row> => {
    const reads = tables.get(name)
    if (reads === undefined) throw new Error(`the store keeps no rows of the kind ${name}`)
    // The map's key is the name of the kind, so the reads are of that kind's rows.
    return reads as Reads<Row>
  }
  const read = <A>(operation: string, run: () => A): A =>
    guarded(operation, () => {
      reading()
      return run()
    })
  const find = <Row>(kind: RowKind<Row>, key: FoundBy): Row | undefined => read(`read ${kind.called}`, () => on(kind).find(key))

  const reads = readsOf({
    find,
    list: (kind, name, given) => read(`list ${name}`, () => on(kind).list(name, given)),
    findWithGrant: (kind, key) =>
      read(`read ${kind.called}`, () => {
        const { find: findRow, grantOf } = on(kind)
        const row = findRow(key)
        const id = row && grantOf(row)
        const grant = id === undefined ? undefined : on(grants).find({ id })
        return row && foundWithGrant(kind, row, grant)
      }),
  })
  return {
    keeps: (table) => tables.has(table),
    ...reads,
    ...(kinds.includes(attempts)
      ? { recentAttempts: recentAttempts({ live: liveAttempts(database, read), find: reads.findAttempts }) }
      : {}),
    commit: (commands) => (commands.length === 0 ? "Committed" : ownResult(commitTogether([commands])[0])),
    commitTogether,
    sweep: (asked) => {
      const now = secondsOf("sweep: now: is", asked)
      return guarded("sweep", () => {
        const swept = withoutWaiting(database, () => sweep(now), patience)
        spent?.refresh()
        return swept
      })
    },
    lookAgain: () => spent?.lookAgain(),
    catchUp: () => spent === undefined || read("read uses", spent.catchUp),
  }
}

const readsOfSpent = ({ find }: Spent): Reads<unknown> => ({
  find: ({ key }) => {
    const expiresAt = find(String(key))
    return expiresAt === undefined ? undefined : ({ key: String(key), expiresAt } satisfies Use)
  },
  list: () => [],
  grantOf: () => undefined,
})

/** Reads the attempts that have not expired, at most the given number. */
const liveAttempts = (database: Database, read: <A>(operation: string, run: () => A) => A) => {
  const { selected, read: readRow } = tableOf(database, attempts)
  const statement = database
    .prepare<[Instant, number], Array<Stored>>(`SELECT ${selected} FROM ${attempts.name} WHERE reset_at > ? ORDER BY reset_at LIMIT ?`)
    .raw()
  return (now: Instant, most: number): ReadonlyArray<Attempts> => read("read attempts", () => statement.all(now, most).map(readRow))
}
