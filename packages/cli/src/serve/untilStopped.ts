import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { interruption } from "../terminal/interruption.ts"
import { hungUp } from "./hangUp.ts"

/** Starts something and keeps it until the process is asked to stop; then it ends in order, with exit code 0. `reload` is for SIGHUP. */
export const untilStopped = <E>(start: Effect.Effect<void, E, Scope.Scope>, reload?: () => void): Effect.Effect<void, E> =>
  start.pipe(
    Effect.tap(() => Effect.sync(() => void (interruption.exitCode = 0))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.raceFirst(hungUp(reload)),
  )
