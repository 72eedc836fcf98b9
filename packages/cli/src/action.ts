import type { Environment } from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { asFailure, type Failed, type Misused } from "./failure.ts"

/** The action of a command, as an Effect. */
export type Action<Input> = (input: Input) => Effect.Effect<void, Failed | Misused, Environment>

/** Loads a command's action when it is run, so that the others cost nothing. */
export const lazily =
  <Input>(load: () => Promise<Action<Input>>): Action<Input> =>
  (input) =>
    Effect.flatMap(Effect.promise(load), (action) => action(input))

/** Runs a promise that fails by throwing a failure; whatever else it throws is a defect. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Failed | Misused> =>
  Effect.catch(Effect.tryPromise({ try: run, catch: (error) => error }), asFailure)

/** An action written with promises. */
export const promised =
  <Input>(run: (input: Input) => Promise<void>): Action<Input> =>
  (input) =>
    attempt(() => run(input))
