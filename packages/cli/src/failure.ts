import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A command that could not do what it was asked: one line, and what to do next. Ends the process with 1, or with the code that it names. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly message: string
  readonly hint: string | undefined
  /** Lines that go before the message, as they are. */
  readonly details: ReadonlyArray<string>
  /** The exit code; 1 when not given. */
  readonly code?: number | undefined
}> {}

/** Makes a failure of a server elsewhere that could not be reached. Ends the process with 3. */
export const unreachable = (message: string, hint: string): Failed => new Failed({ message, hint, details: [], code: 3 })

/** Makes a failure. */
export const failed = (message: string, hint?: string, details: ReadonlyArray<string> = []): Failed =>
  new Failed({ message, hint, details })

/** A call that does not fit the command's usage, found after parsing. Ends the process with 2. */
export class Misused extends Data.TaggedError("Misused")<{ readonly message: string; readonly hint: string | undefined }> {}

/** Makes a misuse. */
export const misused = (message: string, hint?: string): Misused => new Misused({ message, hint })

/** Turns a thrown failure into a failed Effect; anything else is a defect. */
export const asFailure = (thrown: unknown): Effect.Effect<never, Failed | Misused> =>
  thrown instanceof Failed || thrown instanceof Misused ? Effect.fail(thrown) : Effect.die(thrown)
