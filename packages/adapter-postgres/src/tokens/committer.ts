import type { CommitResult } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { Database } from "../database/connect.ts"
import { Violated } from "../database/failure.ts"
import { type CommitFunctions, conflict, insertionOf } from "./commitFunction.ts"
import type { WrittenCommand } from "./commands.ts"

/** Number of transactions of commits that are under way at once. */
const lanes = 2

/** Number of command sets that one transaction takes at most: PostgreSQL keeps so many subtransactions at hand without looking further. */
const most = 32

const operation = "commit"

/** Milliseconds after which the next may go although a transaction is not done; as long as it waits for another's lock. */
const longestTurn = 100

/** Nothing came back, so nobody knows what was done, or nobody is there to ask. */
const unanswered: ReadonlySet<string> = new Set(["DISCONNECTED", "TIMEOUT", "CLOSED"])

/** A command set that waits. */
interface Waiting {
  readonly set: ReadonlyArray<WrittenCommand>
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

/** A guard failed. */
const isConflict = (error: unknown): boolean => error instanceof StoreUnavailable && error.code === conflict

/**
 * Commits command sets. One that comes while others are under way waits for them, and then goes along with all that came meanwhile in one
 * transaction: one round trip and one wait for the disk for all. Each set is done whole or not at all: where one of them fails, all are taken
 * back and tried once more, each in a subtransaction of its own. What keeps such a transaction waiting for a tenth of a second, as another's
 * lock does, takes it back, and each set is committed by itself, so that none suffers for another.
 */
export const committer = (
  database: Database,
  { one: oneSet, together: allSets, each: eachSet, inserted }: Omit<CommitFunctions, "statements">,
): ((set: ReadonlyArray<WrittenCommand>) => Promise<CommitResult>) => {
  let waiting: Array<Waiting> = []
  let busy = 0
  let called = false

  const write = (sql: string, ...params: ReadonlyArray<unknown>) =>
    database.write(
      operation,
      sql,
      params.map((param) => JSON.stringify(param)),
    )

  const alone = async (one: Waiting): Promise<void> => {
    try {
      await write(`SELECT ${oneSet}($1::text::jsonb)`, one.set)
      one.resolve("Committed")
    } catch (error) {
      if (isConflict(error)) one.resolve("Conflict")
      else one.reject(error)
    }
  }

  /** The new rows by their tables, and the commands that are to be run. */
  const parted = (batch: ReadonlyArray<Waiting>) => {
    const rows: Record<string, Array<unknown>> = {}
    const commands: Array<WrittenCommand> = []
    for (const { set } of batch)
      for (const command of set) {
        const table = inserted.get(command.event)
        if (table === undefined) commands.push(command)
        else (rows[table] ??= []).push(command.row)
      }
    return { rows, commands }
  }

  const all = async (batch: ReadonlyArray<Waiting>): Promise<unknown> => {
    const { rows, commands } = parted(batch)
    const [[table, added] = [], ...others] = Object.entries(rows)
    // A token of a client is nothing else: a statement costs a fifth less than a function.
    if (table !== undefined && others.length === 0 && commands.length === 0) await write(insertionOf(table, "$1::text::jsonb"), added)
    else if (batch.length === 1) return Promise.all(batch.map(alone))
    else await write(`SELECT ${allSets}($1::text::jsonb, $2::text::jsonb)`, rows, commands)
    for (const one of batch) one.resolve("Committed")
    return undefined
  }

  const each = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
    const sets = batch.map(({ set }) => set)
    const { rows } = await write(`SELECT ${eachSet}($1::text::jsonb)`, sets)
    const done = String(rows[0]?.[0])
    for (const [at, one] of batch.entries()) one.resolve(done[at] === "t" ? "Committed" : "Conflict")
  }

  /** Commits a batch in one way, and where that fails in the next. */
  const together = async (batch: ReadonlyArray<Waiting>, way: (batch: ReadonlyArray<Waiting>) => Promise<unknown> = all): Promise<void> => {
    try {
      await way(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable && unanswered.has(error.code)) for (const one of batch) one.reject(error)
      else if (way === all && batch.length > 1 && (isConflict(error) || error instanceof Violated)) await together(batch, each)
      else await Promise.all(batch.map(alone))
    }
  }

  /** Waits for what has begun, but not for long: what is kept waiting itself keeps nobody from coming next. */
  const turn = async (begun: Promise<void>): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    await Promise.race([begun, new Promise<void>((resolve) => (timer = setTimeout(resolve, longestTurn)))])
    clearTimeout(timer)
  }

  const run = async (): Promise<void> => {
    busy++
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      await turn(together(batch))
    }
    busy--
  }

  return (set) =>
    new Promise((resolve, reject) => {
      waiting.push({ set, resolve, reject })
      if (called || busy >= lanes) return
      called = true
      // Commits of the same turn of the event loop go along.
      setImmediate(() => {
        called = false
        void run()
      })
    })
}
