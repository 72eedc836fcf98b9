import type { Instant, RowKind, UpstreamIdentity, Verification } from "@postern/core/model"
import type { TakenRequests } from "@postern/core/ports"
import type { SetResult } from "../tokens/commit.ts"
import type { AuditLimits, Sweep } from "@postern/stores"
import type { AuditRow, TrailRow } from "@postern/stores/rows"

/** Options of the writing thread. */
export interface ThreadOptions {
  readonly path: string
  readonly synchronous: "FULL" | "NORMAL"
  /** Milliseconds it waits for a lock that another process holds. */
  readonly patience: number
  readonly trails: { readonly most: number; readonly age: number }
  /** The kinds of row that it commits: descriptions are plain data. */
  readonly kinds?: ReadonlyArray<RowKind>
  readonly audit: AuditLimits
}

/** Everything that the thread does while a provider serves, and what comes of it. */
export interface Works {
  /**
   * Sets of commands as JSON: writing and reading that costs less than a structured clone. What is undefined is left out of it. Where
   * `restartWal` is true the log is brought into the database first and begins anew.
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
  /** Replaces a slow hash by another of the same secret, unless it was changed meanwhile. */
  readonly rehash: {
    readonly given: { readonly of: "client" | "user"; readonly id: string; readonly before: string; readonly after: string }
    readonly made: undefined
  }
  readonly sweep: { readonly given: Instant; readonly made: Sweep }
  readonly audit: { readonly given: ReadonlyArray<AuditRow>; readonly made: undefined }
  readonly trails: { readonly given: ReadonlyArray<TrailRow>; readonly made: undefined }
  /** Tells what was taken of the limits of requests, and learns when each bucket is full again. */
  readonly counts: {
    readonly given: { readonly taken: ReadonlyArray<TakenRequests>; readonly millis: number }
    readonly made: ReadonlyArray<number>
  }
  /** Brings most of the log into the database, while others go on writing. */
  readonly checkpoint: { readonly given: undefined; readonly made: undefined }
  /**
   * Writes something of no consequence, to learn whether anything can be written again. Where `whole` is true a sync of the log has failed, so
   * nobody knows what of it is on disk: all of it is brought into the database first.
   */
  readonly probe: { readonly given: { readonly at: Instant; readonly whole: boolean }; readonly made: undefined }
}

/** One piece of work, as it is sent. */
export type Work = { readonly [Name in keyof Works]: { readonly name: Name; readonly given: Works[Name]["given"] } }[keyof Works]

/** The outcome of work: a value, or a failure of the store by its code, or a defect by its text. */
export type Outcome =
  | { readonly made: Works[keyof Works]["made"] }
  | { readonly operation: string; readonly code: string }
  | { readonly defect: string }
