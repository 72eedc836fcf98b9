import { Worker } from "node:worker_threads"
import type { Command, CommitResult, Instant } from "@postern/core/model"
import type { AuditRow } from "@postern/stores/rows"
import { StoreUnavailable } from "@postern/stores"
import type { Sweep } from "@postern/stores"
import type { TrailRow } from "@postern/stores/rows"
import type { SetResult } from "../tokens/commit.ts"
import type { Outcome, ThreadOptions, Work, Works } from "./protocol.ts"

/** Writes on a thread of its own: the event loop waits neither for the disk nor for a lock. Every failure is a {@link StoreUnavailable}. */
export interface Writer {
  /** Answers when the commands are durable. What arrives together, or while another commit is under way, is made durable together. */
  readonly commit: (commands: ReadonlyArray<Command>) => Promise<CommitResult>
  readonly sweep: (now: Instant) => Promise<Sweep>
  readonly trails: (rows: ReadonlyArray<TrailRow>) => Promise<void>
  readonly audit: (rows: ReadonlyArray<AuditRow>) => Promise<void>
  /**
   * Why the last write failed, until one succeeds again. A second after each failure one is tried, whoever else writes: a server that is
   * sent no requests because it cannot write has to find out by itself that it can.
   */
  readonly failing: () => StoreUnavailable | undefined
  /** Starts the thread in a moment, unless work has started it by then: what needs no writing is answered first. */
  readonly warm: () => void
  /** Ends the thread once it has done what it was given. */
  readonly close: () => Promise<void>
}

/** What is given to the writer and waits for its outcome. */
interface Asked {
  readonly work: Work
  readonly settle: (outcome: Outcome) => void
}

/** A set of commands that waits to be committed with others. */
interface Waiting {
  readonly commands: ReadonlyArray<Command>
  readonly committed: (result: CommitResult) => void
  readonly failed: (error: Error) => void
}

/** How many sets are committed by one sync, and how many may wait: more than that is not served in any time worth waiting for. */
const together = 500
const mostWaiting = 10_000

/** Milliseconds from a failure to the next try. */
const probePause = 1000

/** Milliseconds from the start of serving to that of the thread, where nothing is written before. */
const warmUp = 100

// In the sources the thread is TypeScript like everything, in a build it is what that became.
const script = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url)

const failureOf = (outcome: Exclude<Outcome, { readonly made: unknown }>): Error =>
  "defect" in outcome ? new Error(`the writing thread failed: ${outcome.defect}`) : new StoreUnavailable(outcome.operation, outcome.code)

/** Whether something was written: a conflict was not, and a sweep with nothing to drop was not. */
const wrote = (name: Work["name"], made: Works[keyof Works]["made"]): boolean => {
  switch (name) {
    case "commit":
      return Array.isArray(made) && made.some((result) => result === "Committed")
    case "sweep":
      return made !== undefined && "removed" in made && made.removed > 0
    case "trails":
    case "audit":
    case "probe":
      return true
  }
}

/**
 * The writing thread of a database that is open and up to date already. It is started by the first work, or by `warm`. A thread that dies fails what it was asked with the code
 * `LOST`, the one case in which nobody knows whether it was done; the next work starts another. `landed` is called when something was written, before whoever asked hears of it.
 */
export const startWriter = (options: ThreadOptions, landed: () => void = () => undefined, from = script): Writer => {
  const asked: Array<Asked> = []
  let waiting: Array<Waiting> = []
  let committing = false
  let scheduled = false
  let closed = false
  let failing: StoreUnavailable | undefined
  let probing: NodeJS.Timeout | undefined

  /** Learns from what came of a piece of work whether the database takes writes. */
  const learn = ({ name }: Work, outcome: Outcome): void => {
    if ("made" in outcome) {
      if (wrote(name, outcome.made)) failing = undefined
    } else if ("code" in outcome && (name === "commit" || name === "probe" || !outcome.code.startsWith("SQLITE_BUSY"))) {
      failing = new StoreUnavailable(outcome.operation, outcome.code)
      probing ??= setTimeout(probe, probePause).unref()
    }
  }
  const probe = (): void => {
    probing = undefined
    if (failing !== undefined && !closed) ask("probe", Math.floor(Date.now() / 1000), () => undefined)
  }

  const start = (): Worker => {
    const started = new Worker(from, { workerData: options, name: "postern-writer" })
    const lose = (): void => {
      if (thread !== started) return
      thread = undefined
      for (const { settle } of asked.splice(0)) settle({ operation: "write", code: "LOST" })
    }
    // What a thread that died had left to say is no answer to what the next one was asked.
    started.on("message", (outcome: Outcome) => {
      if (thread !== started) return
      landed()
      asked.shift()?.settle(outcome)
    })
    started.on("error", lose)
    started.on("exit", lose)
    started.unref()
    return started
  }
  let thread: Worker | undefined

  const ask = <Name extends keyof Works>(name: Name, given: Works[Name]["given"], settle: (outcome: Outcome) => void): void => {
    // The thread answers in the order it was asked; what keeps the process alive is who waits.
    const work = { name, given } as Work
    if (closed) return settle({ operation: name, code: "CLOSED" })
    const asking = (thread ??= start())
    if (asked.length === 0) asking.ref()
    asked.push({
      work,
      settle: (outcome) => {
        if (asked.length === 0) asking.unref()
        learn(work, outcome)
        settle(outcome)
      },
    })
    asking.postMessage(work)
  }
  const promised = <Name extends keyof Works>(name: Name, given: Works[Name]["given"]): Promise<Works[Name]["made"]> =>
    new Promise((resolve, reject) =>
      ask(name, given, (outcome) => ("made" in outcome ? resolve(outcome.made as Works[Name]["made"]) : reject(failureOf(outcome)))),
    )

  const commitWaiting = (): void => {
    scheduled = false
    if (committing || waiting.length === 0) return
    const sets = waiting.slice(0, together)
    waiting = waiting.slice(together)
    committing = true
    ask("commit", JSON.stringify(sets.map(({ commands }) => commands)), (outcome) => {
      committing = false
      if ("made" in outcome) {
        const results = outcome.made as ReadonlyArray<SetResult>
        for (const [at, { committed, failed }] of sets.entries()) {
          const result = results[at] ?? "Conflict"
          if (typeof result === "object") failed(new StoreUnavailable("commit", result.code))
          else committed(result)
        }
      } else for (const { failed } of sets) failed(failureOf(outcome))
      if (waiting.length > 0) schedule()
    })
  }
  /** Waits for the rest of what arrived in this turn of the event loop. */
  const schedule = (): void => {
    if (scheduled || committing) return
    scheduled = true
    setImmediate(commitWaiting)
  }

  return {
    commit: (commands) =>
      new Promise((committed, failed) => {
        if (closed) return failed(new StoreUnavailable("commit", "CLOSED"))
        if (waiting.length >= mostWaiting) return failed(new StoreUnavailable("commit", "OVERLOADED"))
        waiting.push({ commands, committed, failed })
        schedule()
      }),
    sweep: (now) => promised("sweep", now),
    trails: (rows) => promised("trails", rows),
    audit: (rows) => promised("audit", rows),
    failing: () => failing,
    warm: () => {
      const begin = (): void => void (closed || (thread ??= start()))
      setTimeout(begin, warmUp).unref()
    },
    close: () =>
      new Promise((resolve) => {
        const end = (): void => {
          if (waiting.length > 0 || committing) return void setImmediate(end)
          closed = true
          if (thread === undefined) return resolve()
          thread.once("exit", () => resolve())
          thread.ref()
          thread.postMessage(undefined)
        }
        end()
      }),
  }
}
