import type { Command } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { CommitTogether, SetResult } from "../tokens/commit.ts"
import { type Syncer, syncerOf } from "./syncer.ts"

/** What the event loop writes with. */
export interface NearOptions {
  /** Commits sets into the log, without waiting for a lock or the disk. */
  readonly write: CommitTogether
  /** The path of the log, where what is written has to be on disk before it is answered; undefined where it has not. */
  readonly log: string | undefined
  /** Milliseconds that pass; for tests. */
  readonly clock?: () => number
  /** The syncing thread's script; for tests. */
  readonly script?: URL
}

/** Commits on the event loop; only a thread waits for the disk. */
export interface Near {
  /**
   * Commits sets into the log: what came of each, or undefined when it would have to wait and the writing thread had better do it. Then
   * nothing was done. Throws what the database reports.
   */
  readonly write: (sets: ReadonlyArray<ReadonlyArray<Command>>) => ReadonlyArray<SetResult> | undefined
  /** Left out where a commit need not be on disk before it is answered. */
  readonly sync: Syncer["sync"] | undefined
  readonly warm: Syncer["warm"]
  readonly close: Syncer["close"]
}

/** Milliseconds that writing may hold the event loop up: it writes to memory, unless the system has too much that is not on disk. */
const longest = 25

/** Milliseconds for which the thread writes once it was held up for longer. */
const respite = 10_000

/** Commits on the event loop. */
export const nearOf = ({ write, log, clock = () => performance.now(), script }: NearOptions): Near => {
  const syncer = log === undefined ? undefined : syncerOf(log, script)
  let resting = 0
  return {
    write: (sets) => {
      const began = clock()
      if (began < resting) return undefined
      try {
        return write(sets)
      } catch (error) {
        if (error instanceof StoreUnavailable && error.code.startsWith("SQLITE_BUSY")) return undefined
        throw error
      } finally {
        const ended = clock()
        if (ended - began > longest) resting = ended + respite
      }
    },
    sync: syncer?.sync,
    warm: () => syncer?.warm(),
    close: async () => syncer?.close(),
  }
}
