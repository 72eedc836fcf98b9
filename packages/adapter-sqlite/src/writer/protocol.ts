import type { Instant, RowKind, UpstreamIdentity, Verification } from "@postern/core/model"
import type { TakenRequests } from "@postern/core/ports"
import type { SetResult } from "../tokens/commit.ts"
import type { AuditLimits, Sweep } from "@postern/stores"
import type { AuditRow, TrailRow } from "@postern/stores/rows"

/** Options of the writing thread. */
export interface ThreadOptions {
  readonly path: string
  readonly synchronous: "FULL" | "NORMAL"
  /** The time to wait for a lock that another process holds, in milliseconds. */
  readonly patience: number
  readonly trails: { readonly most: number; readonly age: number }
  /** The kinds of rows that it commits. Their descriptions are plain data. */
  readonly kinds?: ReadonlyArray<RowKind>
  readonly audit: AuditLimits
}

/** The kinds of work that the thread does while a provider serves, with their arguments and results. */
export interface Works {
  /**
   * Commits sets of commands, given as JSON because that costs less than a structured clone. JSON omits undefined members. With
   * `restartWal`, the log is first checkpointed completely and restarted.
   */
  readonly commit: {
    readonly given: { readonly sets: string; readonly count: number; readonly restartWal: boolean }
    readonly made: ReadonlyArray<SetResult>
  }
  /** Admits a person from another provider. */
  readonly admit: {
    readonly given: { readonly identity: UpstreamIdentity; readonly tenant: string | undefined; readonly at: Instant }
    readonly made: Verification
  }
  /** Replaces a slow hash with another of the same secret, unless it was changed meanwhile. */
  readonly rehash: {
    readonly given: { readonly of: "client" | "user"; readonly id: string; readonly before: string; readonly after: string }
    readonly made: undefined
  }
  readonly sweep: { readonly given: Instant; readonly made: Sweep }
  readonly audit: { readonly given: ReadonlyArray<AuditRow>; readonly made: undefined }
  readonly trails: { readonly given: ReadonlyArray<TrailRow>; readonly made: undefined }
  /** Reports the requests taken from each bucket, and returns the time at which each bucket is full again. */
  readonly counts: {
    readonly given: { readonly taken: ReadonlyArray<TakenRequests>; readonly millis: number }
    readonly made: ReadonlyArray<number>
  }
  /** Checkpoints most of the log while others go on writing. */
  readonly checkpoint: { readonly given: undefined; readonly made: undefined }
  /**
   * Writes an insignificant value to find out whether writes succeed again. With `whole`, a sync of the log has failed and its state on
   * disk is unknown, so the whole log is checkpointed first.
   */
  readonly probe: { readonly given: { readonly at: Instant; readonly whole: boolean }; readonly made: undefined }
}

/** One piece of work as it is sent. */
export type Work = { readonly [Name in keyof Works]: { readonly name: Name; readonly given: Works[Name]["given"] } }[keyof Works]

/** The outcome of work: a value, the code of a store failure, or the text of a defect. */
export type Outcome =
  | { readonly made: Works[keyof Works]["made"] }
  | { readonly operation: string; readonly code: string }
  | { readonly defect: string }
