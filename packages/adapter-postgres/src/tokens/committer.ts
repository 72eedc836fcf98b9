import type { CommitResult } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { Database } from "../database/connect.ts"
import { type CommitFunctions, conflict } from "./commitFunction.ts"

/** How many transactions of commits are under way at once. */
const lanes = 2

/** How many command sets one transaction takes at most: PostgreSQL keeps so many subtransactions at hand without looking further. */
const most = 32

const operation = "commit"

/** Milliseconds after which the next may go although a transaction is not done; as long as it waits for another's lock. */
const longestTurn = 100

/** Nothing came back, so nobody knows what was done, or nobody is there to ask. */
const unanswered: ReadonlySet<string> = new Set(["DISCONNECTED", "TIMEOUT", "CLOSED"])

/** A command set that waits. */
interface Waiting {
  readonly set: string
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits command sets. One that comes while others are under way waits for them, and then goes along with all that came meanwhile in one
 * transaction: one round trip and one wait for the disk for all, each set done whole or not at all. What keeps such a transaction waiting
 * for a tenth of a second, as another's lock does, takes it back, and each set is committed by itself, so that none suffers for another.
 */
export const committer = (
  database: Database,
  functions: Pick<CommitFunctions, "one" | "each">,
): ((set: string) => Promise<CommitResult>) => {
  let waiting: Array<Waiting> = []
  let busy = 0
  let called = false

  const alone = async (one: Waiting): Promise<void> => {
    try {
      await database.write(operation, `SELECT ${functions.one}($1::text::jsonb)`, [one.set])
      one.resolve("Committed")
    } catch (error) {
      if (error instanceof StoreUnavailable && error.code === conflict) one.resolve("Conflict")
      else one.reject(error)
    }
  }

  const together = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
    try {
      const sets = `[${batch.map(({ set }) => set).join(",")}]`
      const { rows } = await database.write(operation, `SELECT ${functions.each}($1::text::jsonb)`, [sets])
      const done = String(rows[0]?.[0])
      for (const [at, one] of batch.entries()) one.resolve(done[at] === "t" ? "Committed" : "Conflict")
    } catch (error) {
      if (error instanceof StoreUnavailable && unanswered.has(error.code)) for (const one of batch) one.reject(error)
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
      const [first] = batch
      if (first === undefined) break
      await turn(batch.length === 1 ? alone(first) : together(batch))
    }
    busy--
  }

  return (set) =>
    new Promise((resolve, reject) => {
      waiting.push({ set, resolve, reject })
      if (called || busy >= lanes) return
      called = true
      // What a turn of the event loop brings goes along.
      setImmediate(() => {
        called = false
        void run()
      })
    })
}
