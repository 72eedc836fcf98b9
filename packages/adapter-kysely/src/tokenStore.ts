import { attempts, type Attempts, type Command, type CommitResult, type Instant, type RowKind } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import type { Sweep } from "@postern/stores"
import { recentAttempts } from "@postern/stores/rows"
import { committer } from "./commit.ts"
import type { Database } from "./database.ts"
import type { Tables } from "./load.ts"
import { readsOn } from "./reads.ts"
import { sweeper } from "./sweep.ts"

/** A token store over Kysely. Every failure is a `StoreUnavailable`. */
export interface KyselyTokenStore extends TokenStorePort {
  /** Runs all commands or none, in one transaction. */
  readonly commit: (commands: ReadonlyArray<Command>) => Promise<CommitResult>
  /** Deletes one slice of expired rows. Call it again while there is more; any number of processes may sweep concurrently. */
  readonly sweep: (now: Instant) => Promise<Sweep>
}

/** Creates a token store on the tables of some kinds of row. */
export const tokenStoreOn = (database: Database, tables: Tables, kinds: ReadonlyArray<RowKind>, turns: string): KyselyTokenStore => {
  const names = new Set(kinds.map(({ name }) => name))
  const commit = committer(database, tables, turns)
  const reads = readsOn(database, tables)
  const live = async (now: Instant, most: number): Promise<ReadonlyArray<Attempts>> => {
    const { name, selected, read } = tables.of(attempts.name)
    const found = await database
      .alone("read attempts")
      .rows(`SELECT ${selected()} FROM ${name} WHERE "reset_at" > ? ORDER BY "reset_at" LIMIT ${most}`, [now])
    return found.map((each) => read(each) as Attempts)
  }
  return {
    keeps: (table) => names.has(table),
    ...reads,
    ...(kinds.includes(attempts) ? { recentAttempts: recentAttempts({ live, find: reads.findAttempts }) } : {}),
    commit: async (commands) => (commands.length === 0 ? "Committed" : commit(commands)),
    sweep: sweeper(database, tables, kinds),
  }
}
