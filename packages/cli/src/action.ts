import type { Environment } from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { asFailure, type Failed, type Misused } from "./failure.ts"

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

/**
 * Converts an action that ends early when its signal aborts. Ctrl-C, SIGTERM and SIGHUP abort it, and the command ends when it has put things
 * in order.
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
      return Effect.promise(async () => {
        stop.abort()
        await running.catch(() => undefined)
      })
    })
