import { setImmediate as turn } from "node:timers/promises"
import type { Environment } from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { asFailure, Failed, type Misused } from "./failure.ts"

/** The action of a command, as an Effect. */
export type Action<Input> = (input: Input) => Effect.Effect<void, Failed | Misused, Environment>

/** Loads a command's action when it runs, so that other commands don't pay for it. */
export const lazily =
  <Input>(load: () => Promise<Action<Input>>): Action<Input> =>
  (input) =>
    Effect.flatMap(Effect.promise(load), (action) => action(input))

/** Runs a promise. A thrown failure becomes a failed Effect; anything else is a defect. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Failed | Misused> =>
  Effect.catch(Effect.tryPromise({ try: run, catch: (error) => error }), asFailure)

/** Converts an action written with promises to an Effect. */
export const promised =
  <Input>(run: (input: Input) => Promise<void>): Action<Input> =>
  (input) =>
    attempt(() => run(input))

/** Converts an action that several writes belong to. Ctrl-C, SIGTERM and SIGHUP end the command after the last of them. */
export const whole = <Input>(run: (input: Input) => Promise<void>): Action<Input> => {
  const action = promised(run)
  return (input) => Effect.uninterruptible(action(input))
}

/** Resolves in another turn of the event loop, in which signals are handled. Work on SQLite alone never waits. */
export { turn }

/**
 * Converts an action that ends early when its signal aborts. Ctrl-C, SIGTERM and SIGHUP abort it, and the command ends when it has put things
 * in order. A failure that it throws then says how far it came.
 */
export const stoppable =
  <Input>(run: (input: Input, signal: AbortSignal) => Promise<void>): Action<Input> =>
  (input) =>
    Effect.callback((resume) => {
      const stop = new AbortController()
      const running = run(input, stop.signal)
      running.then(
        () => resume(Effect.void),
        (thrown: unknown) => resume(asFailure(thrown)),
      )
      const ended = Effect.promise(async (): Promise<unknown> => {
        stop.abort()
        return running.catch((thrown: unknown) => thrown)
      })
      // An interrupted Effect has no failure but a defect. `runProgram` tells it, and keeps the exit code of the interruption.
      return Effect.flatMap(ended, (thrown) => (thrown instanceof Failed ? Effect.die(thrown) : Effect.void))
    })
