import { Worker } from "node:worker_threads"
import type { Outcome, ThreadOptions, Work, Works } from "./protocol.ts"

/** Sends work to the writing thread and receives its outcomes. */
export interface Asking {
  /** Sends work and calls back with its outcome. The thread answers in the order of the requests. */
  readonly ask: <Name extends keyof Works>(name: Name, given: Works[Name]["given"], settle: (outcome: Outcome) => void) => void
  /** Starts the thread if it is not running. */
  readonly warm: () => void
  /** Ends the thread after its pending work. Later work fails with the code `CLOSED`. */
  readonly close: () => Promise<void>
}

/** Work sent to the thread, with the callback for its outcome. */
interface Asked {
  readonly work: Work
  readonly settle: (outcome: Outcome) => void
}

// The thread is a TypeScript file in the sources and a JavaScript file in a build.
const script = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url)

/** Reports whether the system could not start a thread. */
export const isShortage = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ERR_WORKER_INIT_FAILED"

/**
 * Runs the writing thread of a database that is open and migrated already. The first work, or `warm`, starts it. If the thread dies, its
 * pending work fails with the code `LOST`, because it may or may not be done, and the next work starts another thread. `answered` receives
 * every outcome before the caller does.
 */
export const askingThread = (options: ThreadOptions, answered: (work: Work, outcome: Outcome) => void, from = script): Asking => {
  const asked: Array<Asked> = []
  let thread: Worker | undefined
  let closed = false

  const settle = ({ work, settle: tell }: Asked, outcome: Outcome): void => {
    answered(work, outcome)
    tell(outcome)
  }
  const start = (): Worker => {
    const started = new Worker(from, { workerData: options, name: "postern-writer" })
    const lose = (): void => {
      if (thread !== started) return
      thread = undefined
      for (const each of asked.splice(0)) settle(each, { operation: "write", code: "LOST" })
    }
    // A late message of a dead thread is not the outcome of work sent to its successor.
    started.on("message", (outcome: Outcome) => {
      if (thread !== started) return
      const first = asked.shift()
      if (asked.length === 0) started.unref()
      if (first !== undefined) settle(first, outcome)
    })
    started.on("error", lose)
    started.on("exit", lose)
    started.unref()
    return started
  }
  /** Starts the thread, unless the system has none left, as at a limit of processes. The next work tries it again. */
  const running = (): Worker | undefined => {
    try {
      return start()
    } catch (error) {
      if (isShortage(error)) return undefined
      throw error
    }
  }
  return {
    ask: (name, given, tell) => {
      if (closed) return tell({ operation: name, code: "CLOSED" })
      const work = { name, given } as Work
      thread ??= running()
      // Nothing was done.
      if (thread === undefined) return settle({ work, settle: tell }, { operation: name, code: "NO_THREAD" })
      // Pending work keeps the process alive.
      if (asked.length === 0) thread.ref()
      asked.push({ work, settle: tell })
      thread.postMessage(work)
    },
    warm: () => {
      if (!closed) thread ??= running()
    },
    close: () =>
      new Promise((resolve) => {
        closed = true
        if (thread === undefined) return resolve()
        thread.once("exit", () => resolve())
        thread.ref()
        thread.postMessage(undefined)
      }),
  }
}
