import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

/** Exits with code 0 for a program that SIGTERM or SIGINT has interrupted; otherwise with Effect's default code. */
export const cleanTeardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

/** Runs a program until SIGTERM or SIGINT, then closes its scope and ends the process with exit code 0. */
export const runUntilStopped = <E>(start: Effect.Effect<unknown, E, Scope.Scope>): void =>
  NodeRuntime.runMain(Effect.scoped(Effect.andThen(start, Effect.never)), { teardown: cleanTeardown })
