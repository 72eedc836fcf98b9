import { isLater } from "./awaitable.ts"
import { type Due, demand } from "./due.ts"
import type { LimiterPort } from "./limiter.ts"
import type { EntropyPort } from "./plain.ts"
import { PortFailed } from "./portFailed.ts"

// Entropy and the limiter are synchronous, because they are called in steps that wait for nothing. These wrappers throw the error that the
// Effects of other ports fail with.

/**
 * Returns the synchronous result of an operation. Throws {@link PortFailed} if it throws, returns a promise, or returns a value of the
 * wrong type.
 */
const prompt = <A>(port: string, operation: string, run: () => A, is: Due): A => {
  try {
    const value = run()
    // The rejection of a port written with `async` is handled here, because nobody else handles it.
    if (isLater(value)) void value.then(undefined, () => undefined)
    demand(value, is)
    return value
  } catch (cause) {
    throw new PortFailed({ port, operation, cause })
  }
}

/** Wraps an embedder's entropy. Fewer bytes than requested are a failure, because they would make a guessable secret. */
export const promptEntropy = (port: EntropyPort): EntropyPort => ({
  bytes: (count) =>
    prompt(
      "Entropy",
      "bytes",
      () => port.bytes(count),
      (value) => ArrayBuffer.isView(value) && value.byteLength === count,
    ),
})

/** Milliseconds. The seconds of today, as other clocks count, are a day of January 1970: every token would have expired at its creation. */
const isMillis: Due = (value) => {
  const millis = Number(value)
  if (millis >= 1e9 && millis < 1e11) throw new TypeError("answered seconds, and must count milliseconds as Date.now does")
  return Number.isFinite(value)
}

/** Reads an embedder's clock. Handles are made of whole milliseconds, and a clock such as `performance.now` has fractions. */
export const promptMillis = (clock: () => number): number => Math.floor(prompt("Clock", "now", clock, isMillis))

/** Wraps an embedder's limiter. */
export const promptLimiter = (port: LimiterPort): LimiterPort => ({
  take: (...asked) => prompt("Limiter", "take", () => port.take(...asked), Number.isFinite),
})
