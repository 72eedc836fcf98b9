import { attempts, type Attempts, type Instant, type RowKind, rowKinds } from "@postern/core/model"
import { readsOf, type TokenStorePort } from "@postern/core/ports"
import type { Sweep } from "@postern/stores"
import { recentAttempts } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import type { ReadAhead } from "../database/readAhead.ts"
import { writeCommand } from "./commands.ts"
import { commitFunctionsOf } from "./commitFunction.ts"
import { committer } from "./committer.ts"
import { type Reads, readsOn } from "./reads.ts"
import { sweepOf } from "./sweep.ts"
import { tableOf } from "./table.ts"

/** A token store on a PostgreSQL database. Every failure is a `StoreUnavailable`. */
export interface PostgresTokenStore extends TokenStorePort {
  /** Sweeps one slice. Call it again while there is more. Any number of processes may sweep at once. */
  readonly sweep: (now: Instant) => Promise<Sweep>
}

/**
 * Keeps rows of the given kinds in a database that {@link openDatabase} opened for them. `people` receives the people of the grants that
 * are read.
 */
export const postgresTokenStore = (
  database: Database,
  kinds: ReadonlyArray<RowKind> = rowKinds,
  people?: ReadAhead,
): PostgresTokenStore => {
  const tables = new Map(kinds.map((kind) => [kind.name, readsOn(database, kind, people)] as const))
  const on = <Row>({ name }: RowKind<Row>): Reads<Row> => {
    const reads = tables.get(name)
    if (reads === undefined) throw new Error(`the store keeps no rows of the kind ${name}`)
    // The map's key is the name of the kind, so the reads are of that kind's rows.
    return reads as Reads<Row>
  }
  const write = writeCommand(kinds)
  const commit = committer(database, commitFunctionsOf(kinds))
  const reads = readsOf({
    find: (kind, key) => on(kind).find(key),
    findWithGrant: (kind, key) => on(kind).findWithGrant(key),
    list: (kind, name, given) => on(kind).list(name, given),
  })
  return {
    keeps: (table) => tables.has(table),
    ...reads,
    ...(kinds.includes(attempts) ? { recentAttempts: recentAttempts({ live: liveAttempts(database), find: reads.findAttempts }) } : {}),
    commit: async (commands) => {
      if (commands.length === 0) return "Committed"
      return commit(commands.map(write))
    },
    sweep: sweepOf(database, kinds),
  }
}

/** Reads the attempts that have not expired, at most the given number. */
const liveAttempts = (database: Database): ((now: Instant, most: number) => Promise<ReadonlyArray<Attempts>>) => {
  const { selected, name, list } = tableOf(database, attempts)
  const sql = `SELECT ${selected} FROM ${name} WHERE reset_at > $1 ORDER BY reset_at LIMIT $2`
  return (now, most) => list("read attempts", sql, [now, most])
}
