import type { Command } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import type { CommitTogether, SetResult } from "../tokens/commit.ts"
import { type Syncer, syncerOf } from "./syncer.ts"

/** Options for writing on the event loop. */
export interface InlineOptions {
  /** Commits sets into the log without waiting for a lock or the disk. Returns undefined if the worker should commit them. */
  readonly write: (...sets: Parameters<CommitTogether>) => ReturnType<CommitTogether> | undefined
  /** The path of the log if commits must be on disk before they are answered, otherwise undefined. */
  readonly log: string | undefined
  /** A monotonic clock in milliseconds, for tests. */
  readonly clock?: () => number
  /** The syncing thread's script, for tests. */
  readonly script?: URL
}

/** Commits on the event loop, while a separate thread waits for the disk. */
export interface Inline {
  /**
   * Commits sets into the log and returns the result of each. Returns undefined if the worker has to commit them, because the last slow
   * write is too recent or the write would have to wait. Returns `busy` if another process holds the lock. In both cases nothing was done.
   * Throws the database's errors.
   */
  readonly write: (sets: ReadonlyArray<ReadonlyArray<Command>>) => ReadonlyArray<SetResult> | "busy" | undefined
  /** Syncs the log. Undefined if a commit need not be on disk before it is answered. */
  readonly sync: Syncer["sync"] | undefined
  readonly warm: Syncer["warm"]
  readonly close: Syncer["close"]
}

/**
 * The time that a write may block the event loop, in milliseconds. A write goes to memory, unless the system has too much unsynced data.
 */
const longest = 25

/**
 * The time for which the worker writes after a slow write, in milliseconds. It doubles with each slow write, unless a minute has passed
 * without one. A disk that cannot keep up makes every write slow. A busy machine makes only an occasional one slow, and a write by the
 * worker takes twice the CPU. Gain over ten seconds each time, on a busy machine: about 12 % less CPU for a reference token or a refresh
 * (`node bench/beside.ts`, 30 rounds; measured together with another change that gained nothing by itself).
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
