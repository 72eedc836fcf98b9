import type { Command, CommitResult, Instant, UpstreamIdentity, Verification } from "@postern/core/model"
import type { RequestCountsPort } from "@postern/core/ports"
import { StoreUnavailable, type Sweep } from "@postern/stores"
import type { AuditRow, TrailRow } from "@postern/stores/rows"
import { systemClock } from "@postern/stores/sql"
import type { SetResult } from "../tokens/commit.ts"
import type { Duplex } from "node:stream"
import { stayingFile } from "../database/files.ts"
import { type Asking, askingThread } from "./asking.ts"
import { askingOver } from "./askingOver.ts"
import { commitsAt } from "./commits.ts"
import { type InlineOptions, inlineOf } from "./inline.ts"
import type { Outcome, ThreadOptions, Work, Works } from "./protocol.ts"
import { writingFor } from "./writeFor.ts"

/**
 * Writes without making the event loop wait for the disk or for a lock. The event loop commits into the log, one thread syncs it, and
 * another does all work that may take longer. Every failure is a {@link StoreUnavailable}.
 */
export interface Writer {
  /**
   * Commits a set of commands and resolves when it is durable. Sets that arrive together, or during another commit, become durable
   * together.
   */
  readonly commit: (commands: ReadonlyArray<Command>) => Promise<CommitResult>
  /** Resolves when everything visible to reads is durable. Returns undefined if it is. */
  readonly durable: () => Promise<void> | undefined
  readonly sweep: (now: Instant) => Promise<Sweep>
  readonly trails: (rows: ReadonlyArray<TrailRow>) => Promise<void>
  readonly audit: (rows: ReadonlyArray<AuditRow>) => Promise<void>
  /** Exchanges request counts with other processes on this database. */
  readonly counts: RequestCountsPort["exchange"]
  /** Admits a person from another provider. */
  readonly admit: (identity: UpstreamIdentity, tenant: string | undefined, at: Instant) => Promise<Verification>
  /** Returns a function that replaces a slow hash of a client or a person, unless it was changed meanwhile. */
  readonly rehash: (of: "client" | "user") => (id: string, before: string, after: string) => Promise<void>
  /** Also writes for another process, which sends its work over a stream. */
  readonly writeFor: (stream: Duplex) => void
  /**
   * The failure of the last write, until a write succeeds. One second after each failure a probe is written, because a server that receives
   * no requests while it cannot write has to detect by itself that it can.
   */
  readonly failing: () => StoreUnavailable | undefined
  /**
   * Starts the threads after a short delay, unless work has started them by then, so that requests that need no writing are answered first.
   */
  readonly warm: () => void
  /** Ends the threads after their pending work. */
  readonly close: () => Promise<void>
}

/** Options of a writer. */
export interface WriterOptions {
  readonly thread: ThreadOptions
  /** Options for writing on the event loop. Without them, the worker writes everything. */
  readonly inline?: InlineOptions | undefined
  /** The stream to another process that writes for this one. By default, the worker is a thread of this process. */
  readonly over?: Duplex | undefined
  /** Called after each outcome of the worker, before the caller receives it. */
  readonly onWritten?: (() => void) | undefined
  /** The thread's script, for tests. */
  readonly script?: URL
}

/** The time from a failure to the next probe, in milliseconds. */
const probePause = 1000

/** The time from the start of serving to the start of the threads, if nothing is written before, in milliseconds. */
const warmUp = 100

const failureOf = (outcome: Exclude<Outcome, { readonly made: unknown }>): Error =>
  "defect" in outcome ? new Error(`the writing thread failed: ${outcome.defect}`) : new StoreUnavailable(outcome.operation, outcome.code)

/** Reports whether an outcome proves that the database accepts writes. A conflict does not, nor does a sweep that deleted nothing. */
const wrote = (name: Work["name"], made: Works[keyof Works]["made"]): boolean => {
  switch (name) {
    case "commit":
      return Array.isArray(made) && made.some((result) => result === "Committed")
    case "sweep":
      return made !== undefined && "removed" in made && made.removed > 0
    case "checkpoint":
    case "admit":
    case "rehash":
      return false
    case "trails":
    case "audit":
    case "counts":
    case "probe":
      return true
  }
}

/** Starts a writer for a database that is open and migrated already. */
export const startWriter = ({
  thread: options,
  inline: inlineOptions,
  over,
  onWritten = () => undefined,
  script,
}: WriterOptions): Writer => {
  let closed = false
  let failing: StoreUnavailable | undefined
  /** Set after a failed sync, because nothing may be written after data that may not be on disk. */
  let unsynced: StoreUnavailable | undefined
  let probing: NodeJS.Timeout | undefined

  const failed = (error: StoreUnavailable): void => {
    failing = error
    probing ??= setTimeout(probe, probePause).unref()
  }
  const probe = (): void => {
    probing = undefined
    if (failing === undefined || closed) return
    const whole = unsynced !== undefined
    ask("probe", { at: systemClock(), whole }, (outcome) => {
      if (whole && "made" in outcome) unsynced = failing = undefined
    })
  }
  /** Determines from the outcome of work whether the database accepts writes. */
  const learn = ({ name }: Work, outcome: Outcome): void => {
    onWritten()
    if ("made" in outcome) {
      if (unsynced === undefined && wrote(name, outcome.made)) failing = undefined
    } else if ("code" in outcome && (name === "commit" || name === "probe" || !outcome.code.startsWith("SQLITE_BUSY")))
      failed(new StoreUnavailable(outcome.operation, outcome.code))
  }
  const stays = stayingFile(options.path)
  /** The failure of a write while the path does not lead to the open file. A thread that begins then would write into another one. */
  const replaced = (operation: string): StoreUnavailable | undefined => (stays() ? undefined : new StoreUnavailable(operation, "REPLACED"))
  const { ask: asking, warm, close } = over === undefined ? askingThread(options, learn, script) : askingOver(over, learn)
  const ask: Asking["ask"] = (name, given, settle) =>
    stays() ? asking(name, given, settle) : settle({ operation: name, code: "REPLACED" })
  const promised = <Name extends keyof Works>(name: Name, given: Works[Name]["given"]): Promise<Works[Name]["made"]> =>
    new Promise((resolve, reject) =>
      ask(name, given, (outcome) => ("made" in outcome ? resolve(outcome.made as Works[Name]["made"]) : reject(failureOf(outcome)))),
    )

  const inline = inlineOptions && inlineOf(inlineOptions)
  const commits = commitsAt({
    inline,
    worker: (sets, restartWal, done) =>
      ask("commit", { sets: JSON.stringify(sets), count: sets.length, restartWal }, (outcome) =>
        done("made" in outcome ? (outcome.made as ReadonlyArray<SetResult>) : failureOf(outcome)),
      ),
    checkpoint: (done) => ask("checkpoint", undefined, done),
    refused: () => unsynced ?? replaced("commit"),
    learn: (failure) => {
      if (failure === undefined) failing = undefined
      else if (failure.error instanceof StoreUnavailable) {
        if (!failure.synced) unsynced = new StoreUnavailable("commit", "SQLITE_IOERR_FSYNC")
        failed(failure.error)
      }
    },
  })
  return {
    commit: (commands) => (closed ? Promise.reject(new StoreUnavailable("commit", "CLOSED")) : commits.commit(commands)),
    durable: commits.durable,
    sweep: (now) => promised("sweep", now),
    trails: (rows) => promised("trails", rows),
    audit: (rows) => promised("audit", rows),
    counts: (taken, millis) => promised("counts", { taken, millis }),
    admit: (identity, tenant, at) => promised("admit", { identity, tenant, at }),
    rehash: (of) => (id, before, after) => promised("rehash", { of, id, before, after }),
    writeFor: writingFor({ ask }),
    failing: () => failing ?? replaced("write"),
    warm: () => {
      const begin = (): void => {
        if (closed || !stays()) return
        warm()
        inline?.warm()
      }
      setTimeout(begin, warmUp).unref()
    },
    close: () =>
      new Promise((resolve) => {
        const end = (): void => {
          if (commits.busy()) return void setImmediate(end)
          closed = true
          resolve(Promise.all([close(), inline?.close()]).then(() => undefined))
        }
        end()
      }),
  }
}
