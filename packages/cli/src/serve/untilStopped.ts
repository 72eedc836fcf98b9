import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { interruption } from "../terminal/interruption.ts"

/** Starts something and keeps it until the process is asked to stop; then it ends in order, with exit code 0. */
export const untilStopped = <E>(start: Effect.Effect<void, E, Scope.Scope>): Effect.Effect<never, E> =>
  start.pipe(
    Effect.tap(() => Effect.sync(() => void (interruption.exitCode = 0))),
    Effect.andThen(Effect.never),
    Effect.scoped,
  )
