import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A failure of a command: one line, and a hint about the remedy. The exit code is 1 unless `code` is set. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly message: string
  readonly hint: string | undefined
  /** Lines shown before the message, unchanged. */
  readonly details: ReadonlyArray<string>
  /** The exit code; defaults to 1. */
  readonly code?: number | undefined
}> {}

/** Creates a failure to reach a remote server. The exit code is 3. */
export const unreachable = (message: string, hint: string): Failed => new Failed({ message, hint, details: [], code: 3 })

/** Creates a failure. */
export const failed = (message: string, hint?: string, details: ReadonlyArray<string> = []): Failed =>
  new Failed({ message, hint, details })

/** An invalid invocation that is detected after parsing. The exit code is 2. */
export class Misused extends Data.TaggedError("Misused")<{ readonly message: string; readonly hint: string | undefined }> {}

/** Creates a misuse. */
export const misused = (message: string, hint?: string): Misused => new Misused({ message, hint })

/** Converts a thrown failure to a failed Effect. Anything else is a defect. */
export const asFailure = (thrown: unknown): Effect.Effect<never, Failed | Misused> =>
  thrown instanceof Failed || thrown instanceof Misused ? Effect.fail(thrown) : Effect.die(thrown)
