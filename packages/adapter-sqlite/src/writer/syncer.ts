import { Worker } from "node:worker_threads"

/** Options of the syncing thread. */
export interface SyncOptions {
  /** The write-ahead log's path. */
  readonly log: string
  /** Number of syncs requested so far, in shared memory; below zero ends the thread. */
  readonly asked: Int32Array
}

/** Makes what was written into a log durable, on a thread that does nothing else. */
export interface Syncer {
  /** Calls back when all that was written before is on disk, or with why it may not be. One at a time. */
  readonly sync: (done: (failure: string | undefined) => void) => void
  readonly warm: () => void
  readonly close: () => Promise<void>
}

const script = new URL(import.meta.url.endsWith(".ts") ? "./syncThread.ts" : "./syncThread.js", import.meta.url)

/** It needs hardly any memory of its own. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32, stackSizeMb: 1 }

/**
 * A thread that syncs a log. It waits in shared memory, since a message would run a turn of an event loop for each sync; it is started by
 * the first sync, or by `warm`, and started again when it died.
 */
export const syncerOf = (log: string, from = script): Syncer => {
  let thread: Worker | undefined
  let asked = new Int32Array(new SharedArrayBuffer(4))
  let waiting: ((failure: string | undefined) => void) | undefined

  const answer = (failure: string | undefined): void => {
    const done = waiting
    waiting = undefined
    thread?.unref()
    done?.(failure)
  }
  const start = (): Worker => {
    asked = new Int32Array(new SharedArrayBuffer(4))
    const options: SyncOptions = { log, asked }
    const started = new Worker(from, { workerData: options, name: "postern-syncer", resourceLimits })
    const lose = (): void => {
      if (thread !== started) return
      thread = undefined
      answer("LOST")
    }
    started.on("message", (failure: string | undefined) => {
      if (thread === started) answer(failure)
    })
    started.on("error", lose)
    started.on("exit", lose)
    started.unref()
    return started
  }
  return {
    sync: (done) => {
      waiting = done
      try {
        thread ??= start()
      } catch (error) {
        return answer(`the syncing thread cannot be started: ${String(error)}`)
      }
      thread.ref()
      Atomics.add(asked, 0, 1)
      Atomics.notify(asked, 0)
    },
    warm: () => void (thread ??= start()),
    close: () =>
      new Promise((resolve) => {
        const ending = thread
        thread = undefined
        if (ending === undefined) return resolve()
        ending.once("exit", () => resolve())
        ending.ref()
        Atomics.store(asked, 0, -1)
        Atomics.notify(asked, 0)
      }),
  }
}
