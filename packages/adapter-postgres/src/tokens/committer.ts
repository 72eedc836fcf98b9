import type { CommitResult } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { Database } from "../database/connect.ts"
import { Violated } from "../database/failure.ts"
import { type CommitFunctions, conflict, insertionOf } from "./commitFunction.ts"
import type { WrittenCommand } from "./commands.ts"

/** The maximum number of concurrent commit transactions. */
const lanes = 2

/** The maximum number of command sets in one transaction. PostgreSQL caches that many subtransactions without a further lookup. */
const most = 32

const operation = "commit"

/** The time after which the next transaction may start although one is not done, in milliseconds. The functions wait as long for a lock. */
const longestTurn = 100

/** The codes for which the outcome is unknown or the database is unreachable. */
const unanswered: ReadonlySet<string> = new Set(["DISCONNECTED", "TIMEOUT", "CLOSED"])

/** A command set waiting to be committed. */
interface Waiting {
  readonly set: ReadonlyArray<WrittenCommand>
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

/** Reports whether a guard failed. */
const isConflict = (error: unknown): boolean => error instanceof StoreUnavailable && error.code === conflict

/** Reports whether another row has a value that must be unique, which a transaction at the same time may have inserted (`unique_violation`). */
const isTaken = (error: unknown): boolean => error instanceof Violated && error.code === "23505"

/**
 * Commits command sets. A set that arrives while others are being committed waits, and is then committed with all sets that arrived
 * meanwhile in one transaction, which takes one round trip and one wait for the disk. Each set is applied whole or not at all. If one of
 * them fails, all are rolled back and retried, each in a subtransaction of its own. A transaction that waits for a tenth of a second, for
 * example for another's lock, is rolled back, and each set is committed by itself, so that no set delays another.
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
      if (isConflict(error) || isTaken(error)) one.resolve("Conflict")
      else one.reject(error)
    }
  }

  /** Separates the rows to insert first, by table, from the commands to run. */
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
    // A client's own token is a single insert. A plain statement costs a fifth less than a function.
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

  /** Commits a batch in the given way, and falls back to the next way if that fails. */
  const together = async (batch: ReadonlyArray<Waiting>, way: (batch: ReadonlyArray<Waiting>) => Promise<unknown> = all): Promise<void> => {
    try {
      await way(batch)
    } catch (error) {
      if (error instanceof StoreUnavailable && unanswered.has(error.code)) for (const one of batch) one.reject(error)
      else if (way === all && batch.length > 1 && (isConflict(error) || error instanceof Violated)) await together(batch, each)
      else await Promise.all(batch.map(alone))
    }
  }

  /** Waits for a transaction, but only briefly, so that a delayed one does not block the next. */
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
      // Commits of the same event-loop turn are committed together.
      setImmediate(() => {
        called = false
        void run()
      })
    })
}
