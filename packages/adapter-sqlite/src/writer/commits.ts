import type { Command, CommitResult } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { SetResult } from "../tokens/commit.ts"
import { type Action, atRest, type Event, step } from "./gathering.ts"
import type { Inline } from "./inline.ts"
import type { Syncer } from "./syncer.ts"

/**
 * Commits sets of commands and answers each when it is durable. Sets that arrive together, or during another commit, are committed
 * together.
 */
export interface Commits {
  readonly commit: (commands: ReadonlyArray<Command>) => Promise<CommitResult>
  /** Resolves when every commit so far is durable. Returns undefined if all are. */
  readonly durable: () => Promise<void> | undefined
  /** Reports whether any set is waiting or being committed. */
  readonly busy: () => boolean
}

type Sets = ReadonlyArray<ReadonlyArray<Command>>

/** The result of each set that the worker committed, or an error if none is known to be committed. */
export type Committed = ReadonlyArray<SetResult> | Error

/** The places where commits are made. */
export interface CommitPlaces {
  /** The event loop, or undefined if only the worker writes. */
  readonly inline: Inline | undefined
  /** Commits on the writing thread. With `restartWal`, the thread first checkpoints the whole log. */
  readonly worker: (sets: Sets, restartWal: boolean, done: (committed: Committed) => void) => void
  /** Asks the worker to checkpoint most of the log. */
  readonly checkpoint: (done: () => void) => void
  /** Returns the reason why nothing may be committed now, if any. */
  readonly refused: () => StoreUnavailable | undefined
  /** Called after each commit of the event loop, with undefined once it is durable or with its failure. */
  readonly learn: (failure: { readonly error: unknown; readonly synced: boolean } | undefined) => void
}

/** A set of commands waiting to be committed with others. */
interface Waiting {
  readonly commands: ReadonlyArray<Command>
  readonly committed: (result: CommitResult) => void
  readonly failed: (error: unknown) => void
}

/**
 * The number of attempts to commit while another process holds the lock, and the pause between them in milliseconds. The event loop of that
 * process holds the lock for a fraction of a millisecond. The worker holds it while it waits for the disk, which would make that process
 * wait in turn. Gain: a refresh by two processes on one file takes 1.17 times the CPU of one alone, instead of 1.41 (medians of 30 rounds
 * in one run, on a busy machine).
 */
const busy = { tries: 5, pause: 1 }

/**
 * Gathers sets and commits them, on the event loop if that requires no waiting and otherwise on the worker. `gathering.ts` makes the
 * decisions, and this function carries them out.
 */
export const commitsAt = ({ inline, worker, checkpoint, refused, learn }: CommitPlaces): Commits => {
  let state = atRest
  let waiting: Array<Waiting> = []
  let syncing: Promise<void> | undefined

  const happened = (event: Event): void => {
    const [next, actions] = step(inline !== undefined, state, event)
    state = next
    for (const action of actions) perform(action)
  }
  const perform = (action: Action): void => {
    switch (action._tag) {
      case "Refuse":
        return waiting.pop()?.failed(new StoreUnavailable("commit", "OVERLOADED"))
      case "AwaitTurn":
        return void setImmediate(happened, turnEnded)
      case "Checkpoint":
        return checkpoint(() => happened({ _tag: "Checkpointed" }))
      case "Commit": {
        const group = waiting.slice(0, action.sets)
        waiting = waiting.slice(action.sets)
        const refusal = refused()
        if (refusal !== undefined) return ended(group, refusal)
        if (inline === undefined || action.by === "worker") return byWorker(group, action.restartWal)
        return byEventLoop(group, inline)
      }
    }
  }
  const byWorker = (group: ReadonlyArray<Waiting>, restartWal: boolean): void =>
    worker(setsOf(group), restartWal, (results) => ended(group, results))
  const byEventLoop = (group: ReadonlyArray<Waiting>, place: Inline, tries: number = busy.tries): void => {
    const { write, sync } = place
    try {
      const results = write(setsOf(group))
      if (results === "busy" && tries > 1) return void setTimeout(byEventLoop, busy.pause, group, place, tries - 1)
      if (results === undefined || results === "busy") return byWorker(group, false)
      if (!results.includes("Committed")) return ended(group, results)
      if (sync === undefined) return logged(group, results)
      synced(group, results, sync)
    } catch (error) {
      learn({ error, synced: true })
      ended(group, error instanceof Error ? error : new Error(String(error)))
    }
  }
  const synced = (group: ReadonlyArray<Waiting>, results: ReadonlyArray<SetResult>, sync: Syncer["sync"]): void => {
    let over = false
    const pending = new Promise<void>((resolve, reject) =>
      sync((failure) => {
        over = true
        syncing = undefined
        if (failure === undefined) {
          resolve()
          return logged(group, results)
        }
        const error = new StoreUnavailable("commit", "LOST", failure)
        learn({ error, synced: false })
        reject(error)
        ended(group, error)
      }),
    )
    // A caller that awaits the sync handles its failure. Without one, the failure must not become an unhandled rejection.
    pending.catch(() => undefined)
    // A sync that cannot begin has failed already, and no later answer may wait for it.
    if (!over) syncing = pending
  }
  const logged = (group: ReadonlyArray<Waiting>, results: ReadonlyArray<SetResult>): void => {
    learn(undefined)
    answer(group, results)
    happened({ _tag: "Logged", sets: group.length })
  }
  const ended = (group: ReadonlyArray<Waiting>, results: Committed): void => {
    answer(group, results)
    happened({ _tag: "Ended" })
  }
  return {
    commit: (commands) =>
      new Promise((committed, failed) => {
        waiting.push({ commands, committed, failed })
        happened({ _tag: "Arrived" })
      }),
    durable: () => syncing,
    busy: () => state.phase._tag !== "Idle",
  }
}

const turnEnded: Event = { _tag: "TurnEnded" }

const setsOf = (group: ReadonlyArray<Waiting>): Sets => group.map(({ commands }) => commands)

const answer = (group: ReadonlyArray<Waiting>, results: Committed): void => {
  for (const [at, { committed, failed }] of group.entries()) {
    const result = results instanceof Error ? results : (results[at] ?? "Conflict")
    if (result instanceof Error) failed(result)
    else if (typeof result === "object") failed(new StoreUnavailable("commit", result.code))
    else committed(result)
  }
}
