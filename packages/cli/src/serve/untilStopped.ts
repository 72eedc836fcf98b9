import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { interruption } from "../terminal/interruption.ts"
import { hungUp } from "./hangUp.ts"

/**
 * Runs `start` and keeps its scope open until the process is interrupted. The scope then closes and the exit code is 0. `reload` handles
 * SIGHUP.
 */
export const untilStopped = <E>(start: Effect.Effect<void, E, Scope.Scope>, reload?: () => void): Effect.Effect<void, E> =>
  start.pipe(
    Effect.tap(() => Effect.sync(() => void (interruption.exitCode = 0))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.raceFirst(hungUp(reload)),
  )
