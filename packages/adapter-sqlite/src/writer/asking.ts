import { Worker } from "node:worker_threads"
import type { Outcome, ThreadOptions, Work, Works } from "./protocol.ts"

/** The way to the writing thread and back. */
export interface Asking {
  /** Calls back with what came of the work. The thread answers in the order it was asked. */
  readonly ask: <Name extends keyof Works>(name: Name, given: Works[Name]["given"], settle: (outcome: Outcome) => void) => void
  /** Starts the thread unless work has started it. */
  readonly warm: () => void
  /** Ends the thread once it has done what it was given; what is asked from then on fails with the code `CLOSED`. */
  readonly close: () => Promise<void>
}

/** Work that the thread was given, with the callback for its outcome. */
interface Asked {
  readonly work: Work
  readonly settle: (outcome: Outcome) => void
}

// In the sources the thread is TypeScript like everything, in a build it is what that became.
const script = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url)

/**
 * The writing thread of a database that is open and up to date already. It is started by the first work, or by `warm`. A thread that dies
 * fails what it was asked with the code `LOST`, since nobody knows whether it was done; the next work starts another. `answered` is told of
 * every outcome before whoever asked.
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
    // The last message of a thread that died is no answer to what the next one was asked.
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
  return {
    ask: (name, given, tell) => {
      if (closed) return tell({ operation: name, code: "CLOSED" })
      const work = { name, given } as Work
      thread ??= start()
      // The process is kept alive by whoever waits.
      if (asked.length === 0) thread.ref()
      asked.push({ work, settle: tell })
      thread.postMessage(work)
    },
    warm: () => {
      if (!closed) thread ??= start()
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
