import type { Command, CommitResult } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { SetResult } from "../tokens/commit.ts"
import type { Near } from "./near.ts"
import type { Syncer } from "./syncer.ts"

/** Sets of commands, each answered when it is durable; what arrives together, or while another commit is under way, is committed together. */
export interface Commits {
  readonly commit: (commands: ReadonlyArray<Command>) => Promise<CommitResult>
  /** Resolves when everything that was committed so far is durable; undefined when it is. */
  readonly durable: () => Promise<void> | undefined
  /** Reports whether something waits or is under way. */
  readonly busy: () => boolean
}

type Sets = ReadonlyArray<ReadonlyArray<Command>>

/** What came of sets that were committed elsewhere: of each of them, or why none is known to be done. */
export type Committed = ReadonlyArray<SetResult> | Error

/** Where commits are made. */
export interface CommitPlaces {
  /** The event loop; undefined when only the thread writes. */
  readonly near: Near | undefined
  /** The writing thread, and whether it lets the log begin anew first. */
  readonly far: (sets: Sets, anew: boolean, done: (committed: Committed) => void) => void
  /** Asks the thread to bring most of the log into the database. */
  readonly checkpoint: (done: () => void) => void
  /** Why nothing may be committed now. */
  readonly refused: () => StoreUnavailable | undefined
  /** Told of what the event loop has committed and synced, or why not. */
  readonly learn: (failure: { readonly error: unknown; readonly synced: boolean } | undefined) => void
}

/** A set of commands that waits to be committed with others. */
interface Waiting {
  readonly commands: ReadonlyArray<Command>
  readonly committed: (result: CommitResult) => void
  readonly failed: (error: unknown) => void
}

/** How many sets are committed by one sync, and how many may wait: more than that is not served in any time worth waiting for. */
const together = 500
const mostWaiting = 10_000

/**
 * A commit costs the disk the same however much it holds. So it is made when that many turns of the event loop in a row have brought nothing
 * more to it, or after that many turns in all: microseconds where nothing else goes on.
 */
const gathering = { quiet: 2, most: 6 }

/** After so many commits, or sets, the log is brought into the database. A commit is a few pages of 4 KiB. */
const checkpointAfter = { commits: 250, sets: 1000 }

/** Gathers sets and commits them: on the event loop where that waits for nothing, else on the thread. */
export const commitsAt = ({ near, far, checkpoint, refused, learn }: CommitPlaces): Commits => {
  let waiting: Array<Waiting> = []
  let committing = false
  let scheduled = false
  let syncing: Promise<void> | undefined
  let commits = 0
  let sets = 0
  let checkpointing = false
  let anew = false

  const answer = (group: ReadonlyArray<Waiting>, results: Committed): void => {
    for (const [at, { committed, failed }] of group.entries()) {
      const result = results instanceof Error ? results : (results[at] ?? "Conflict")
      if (result instanceof Error) failed(result)
      else if (typeof result === "object") failed(new StoreUnavailable("commit", result.code))
      else committed(result)
    }
  }
  const ended = (group: ReadonlyArray<Waiting>, results: Committed): void => {
    committing = false
    answer(group, results)
    if (waiting.length > 0) schedule()
  }
  /** The log grows by what is written here, and is brought into the database by the thread, all but the last of it while others write. */
  const count = (group: ReadonlyArray<Waiting>): void => {
    commits++
    sets += group.length
    if (checkpointing || (commits < checkpointAfter.commits && sets < checkpointAfter.sets)) return
    commits = sets = 0
    checkpointing = true
    checkpoint(() => {
      checkpointing = false
      anew = true
    })
  }
  const byThread = (group: ReadonlyArray<Waiting>): void => {
    committing = true
    const first = anew
    anew = false
    far(
      group.map(({ commands }) => commands),
      first,
      (results) => ended(group, results),
    )
  }
  const written = (group: ReadonlyArray<Waiting>, results: ReadonlyArray<SetResult>): void => {
    learn(undefined)
    count(group)
    ended(group, results)
  }
  const synced = (group: ReadonlyArray<Waiting>, results: ReadonlyArray<SetResult>, sync: Syncer["sync"]): void => {
    committing = true
    syncing = new Promise((resolve, reject) =>
      sync((failure) => {
        syncing = undefined
        if (failure === undefined) {
          resolve()
          return written(group, results)
        }
        const error = new StoreUnavailable("commit", "LOST", failure)
        learn({ error, synced: false })
        reject(error)
        ended(group, error)
      }),
    )
    // Who asks for it hears of its failure; nobody has to.
    syncing.catch(() => undefined)
  }
  const commitWaiting = (): void => {
    scheduled = false
    if (committing || waiting.length === 0) return
    const group = waiting.slice(0, together)
    waiting = waiting.slice(together)
    const refusal = refused()
    if (refusal !== undefined) return ended(group, refusal)
    if (near === undefined || anew) return byThread(group)
    try {
      const results = near.write(group.map(({ commands }) => commands))
      if (results === undefined) return byThread(group)
      if (!results.includes("Committed")) return ended(group, results)
      if (near.sync === undefined) return written(group, results)
      synced(group, results, near.sync)
    } catch (error) {
      learn({ error, synced: true })
      ended(group, error instanceof Error ? error : new Error(String(error)))
    }
  }
  const schedule = (): void => {
    if (scheduled || committing) return
    scheduled = true
    gather(waiting.length, gathering.quiet, gathering.most)
  }
  const gather = (seen: number, quiet: number, most: number): void => {
    setImmediate(() => {
      if (most === 1 || waiting.length >= together) return commitWaiting()
      if (waiting.length > seen) return gather(waiting.length, gathering.quiet, most - 1)
      if (quiet === 1) return commitWaiting()
      gather(seen, quiet - 1, most - 1)
    })
  }
  return {
    commit: (commands) =>
      new Promise((committed, failed) => {
        if (waiting.length >= mostWaiting) return failed(new StoreUnavailable("commit", "OVERLOADED"))
        waiting.push({ commands, committed, failed })
        schedule()
      }),
    durable: () => syncing,
    busy: () => committing || waiting.length > 0,
  }
}
