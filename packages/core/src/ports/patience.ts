import * as Effect from "effect/Effect"
import { type Due, demand } from "./due.ts"
import { PortFailed } from "./portFailed.ts"
import type { TimerPort } from "./timer.ts"

/** Milliseconds that a port may take to answer, where the options of a provider do not say. */
export const defaultPortTimeout = 20_000

/** The time that ports have to answer. Nothing that a request waits for may keep it waiting for ever. */
export interface Patience {
  /** Starts the timer of each call that has to be waited for. A value that is given at once needs none. */
  readonly timer: TimerPort
  /** Milliseconds that each call may take. */
  readonly milliseconds: number
}

/** A port that has not answered in time. It may still do what it was asked. */
export class PortTimedOut extends Error {
  override readonly name = "PortTimedOut"
  /** Nobody knows what became of the call. It counts for a commit alone: a read that was not waited for changes nothing. */
  readonly uncertain = true

  constructor(milliseconds: number) {
    super(`no answer after ${milliseconds} ms`)
  }
}

/** Takes null, which many database libraries answer where there is no row, for nothing there. Throws where the answer is not what is due. */
export const answered = <A>(value: A, due: Due | undefined): A => {
  const given = (value ?? undefined) as A
  if (due !== undefined) demand(given, due)
  return given
}

/** Waits for a promise of a port: as long as `patience` says, or as long as it takes without one. What comes later is dropped. */
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
    // A thenable that is no promise may end more than once, or throw.
    Promise.resolve(value).then((given) => {
      try {
        end(Effect.succeed(answered(given, due)))
      } catch (cause) {
        failed(cause)
      }
    }, failed)
    return stop && Effect.sync(stop)
  })
