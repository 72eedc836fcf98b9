import { isLater } from "./awaitable.ts"
import { type Due, demand } from "./due.ts"
import type { LimiterPort } from "./limiter.ts"
import type { EntropyPort } from "./plain.ts"
import { PortFailed } from "./portFailed.ts"

// Chance and the limiter answer at once: they are asked in the middle of steps that wait for nothing. These throw what the Effects of other ports fail with.

/** Takes the answer that an operation gives at once; throws {@link PortFailed} where it throws, answers later or answers something else. */
const prompt = <A>(port: string, operation: string, run: () => A, is: Due): A => {
  try {
    const value = run()
    // A port written with `async`: its rejection is nobody else's.
    if (isLater(value)) void value.then(undefined, () => undefined)
    demand(value, is)
    return value
  } catch (cause) {
    throw new PortFailed({ port, operation, cause })
  }
}

/** Chance of an embedder's own: fewer bytes than were asked for would be a secret that can be guessed. */
export const promptEntropy = (port: EntropyPort): EntropyPort => ({
  bytes: (count) =>
    prompt(
      "Entropy",
      "bytes",
      () => port.bytes(count),
      (value) => ArrayBuffer.isView(value) && value.byteLength === count,
    ),
})

/** A limiter of an embedder's own. */
export const promptLimiter = (port: LimiterPort): LimiterPort => ({
  take: (...asked) => prompt("Limiter", "take", () => port.take(...asked), Number.isFinite),
})
