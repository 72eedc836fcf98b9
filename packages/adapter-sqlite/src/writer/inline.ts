import type { Command } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { CommitTogether, SetResult } from "../tokens/commit.ts"
import { type Syncer, syncerOf } from "./syncer.ts"

/** Parts that the event loop writes with. */
export interface InlineOptions {
  /** Commits sets into the log, without waiting for a lock or the disk; undefined where the worker had better do it. */
  readonly write: (...sets: Parameters<CommitTogether>) => ReturnType<CommitTogether> | undefined
  /** The path of the log, where what is written has to be on disk before it is answered; undefined where it has not. */
  readonly log: string | undefined
  /** Milliseconds that pass; for tests. */
  readonly clock?: () => number
  /** The syncing thread's script; for tests. */
  readonly script?: URL
}

/** Commits on the event loop; only a thread waits for the disk. */
export interface Inline {
  /**
   * Commits sets into the log and returns the result of each; undefined when it would have to wait: then nothing was done, and the worker
   * is to commit them. `busy` where another process has the lock at this moment: nothing was done either. Throws the database's errors.
   */
  readonly write: (sets: ReadonlyArray<ReadonlyArray<Command>>) => ReadonlyArray<SetResult> | "busy" | undefined
  /** Left out where a commit need not be on disk before it is answered. */
  readonly sync: Syncer["sync"] | undefined
  readonly warm: Syncer["warm"]
  readonly close: Syncer["close"]
}

/** Milliseconds that a write may block the event loop: it goes to memory, unless the system has too much that is not on disk. */
const longest = 25

/**
 * Milliseconds for which the worker writes after a write took longer: twice as many each time, as long as there was no minute without. A disk that cannot keep up makes
 * every write slow; a machine that others keep busy makes one slow now and then, and a worker's write takes twice the CPU. Gain over ten seconds each time, on a busy
 * machine: about 12 % less CPU for a reference token or a refresh (`node bench/beside.ts`, 30 rounds; measured together with another change that gained nothing by itself).
 */
const respite = { least: 500, most: 10_000, forgotten: 60_000 }

/** Commits on the event loop. */
export const inlineOf = ({ write, log, clock = () => performance.now(), script }: InlineOptions): Inline => {
  const syncer = log === undefined ? undefined : syncerOf(log, script)
  let [resting, rest] = [Number.NEGATIVE_INFINITY, respite.least]
  const slow = (at: number): void => {
    rest = at - resting > respite.forgotten ? respite.least : Math.min(respite.most, rest * 2)
    resting = at + rest
  }
  return {
    write: (sets) => {
      const began = clock()
      if (began < resting) return undefined
      try {
        return write(sets)
      } catch (error) {
        if (error instanceof StoreUnavailable && error.code.startsWith("SQLITE_BUSY")) return "busy"
        throw error
      } finally {
        const ended = clock()
        if (ended - began > longest) slow(ended)
      }
    },
    sync: syncer?.sync,
    warm: () => syncer?.warm(),
    close: async () => syncer?.close(),
  }
}
