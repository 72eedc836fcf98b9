import * as Effect from "effect/Effect"
import { type Due, demand } from "./due.ts"
import { PortFailed } from "./portFailed.ts"
import type { TimerPort } from "./timer.ts"

/** The default time limit of a port call, in milliseconds. */
export const defaultPortTimeout = 20_000

/** The time limit of port calls. No operation may block a request forever. */
export interface Patience {
  /** Starts the timer of each asynchronous call. A synchronous value needs none. */
  readonly timer: TimerPort
  /** Milliseconds that each call may take. */
  readonly milliseconds: number
}

/** A port that did not answer in time. It may still complete the operation. */
export class PortTimedOut extends Error {
  override readonly name = "PortTimedOut"
  /** The outcome of the call is unknown. Only a commit depends on this: an abandoned read changes nothing. */
  readonly uncertain = true

  constructor(milliseconds: number) {
    super(`no answer after ${milliseconds} ms`)
  }
}

/**
 * Replaces null, which many database libraries return for a missing row, by undefined. Throws if the answer does not have the expected
 * type.
 */
export const answered = <A>(value: A, due: Due | undefined): A => {
  const given = (value ?? undefined) as A
  if (due !== undefined) demand(given, due)
  return given
}

/** Waits for a promise of a port, for at most the time of `patience` if it is given. A later result is dropped. */
export const within = <A>(
  patience: Patience | undefined,
  port: string,
  operation: string,
  value: PromiseLike<A>,
  due?: Due,
): Effect.Effect<A, PortFailed> =>
  Effect.callback((resume) => {
    const end = (effect: Effect.Effect<A, PortFailed>): void => {
      stop?.()
      resume(effect)
    }
    const failed = (cause: unknown): void => end(Effect.fail(new PortFailed({ port, operation, cause })))
    const stop = patience?.timer.start(patience.milliseconds, () => failed(new PortTimedOut(patience.milliseconds)))
    // A thenable that is no promise may settle more than once, or throw.
    Promise.resolve(value).then((given) => {
      try {
        end(Effect.succeed(answered(given, due)))
      } catch (cause) {
        failed(cause)
      }
    }, failed)
    return stop && Effect.sync(stop)
  })
