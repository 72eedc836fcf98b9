import { Worker } from "node:worker_threads"
import { isShortage } from "./asking.ts"

/** Options of the syncing thread. */
export interface SyncOptions {
  /** The write-ahead log's path. */
  readonly log: string
  /** The number of syncs requested so far, in shared memory. A negative number ends the thread. */
  readonly asked: Int32Array
}

/** Syncs a log on a separate thread. */
export interface Syncer {
  /** Calls back when all earlier writes are on disk, or with the reason why they may not be. Only one call may be pending. */
  readonly sync: (done: (failure: string | undefined) => void) => void
  readonly warm: () => void
  readonly close: () => Promise<void>
}

const script = new URL(import.meta.url.endsWith(".ts") ? "./syncThread.ts" : "./syncThread.js", import.meta.url)

/** The thread needs hardly any memory of its own. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32, stackSizeMb: 1 }

/**
 * Runs a thread that syncs a log. The thread waits on shared memory, because a message would run an event-loop turn for each sync. The
 * first sync, or `warm`, starts it, and it is started again if it died.
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
    warm: () => {
      try {
        thread ??= start()
      } catch (error) {
        // The first sync tries it again, and tells of it.
        if (!isShortage(error)) throw error
      }
    },
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
