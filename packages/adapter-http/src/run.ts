import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

/** Exit code 0 for a program that was asked to end, by SIGTERM or SIGINT, and did; otherwise as Effect has it. */
export const cleanTeardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

/** Starts something and keeps it until SIGTERM or SIGINT; then ends its scope and the process, with exit code 0. */
export const runUntilStopped = <E>(start: Effect.Effect<unknown, E, Scope.Scope>): void =>
  NodeRuntime.runMain(Effect.scoped(Effect.andThen(start, Effect.never)), { teardown: cleanTeardown })
