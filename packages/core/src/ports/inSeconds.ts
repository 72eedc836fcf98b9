import type { Instant } from "../model/index.ts"

/**
 * Returns a time that an embedder stated, in whole seconds since 1970, past the year 9999. By the milliseconds of `Date.now` every row and
 * key would have expired long ago, and would be deleted. `place` names the function and the value.
 */
export const secondsOf = (place: string, at: Instant): Instant => {
  if (typeof at !== "number" || !(at < 1e12)) throw new TypeError(`${place} ${String(at)}, and must count seconds since 1970`)
  return Math.floor(at)
}

/** Wraps a clock that counts seconds, of the called function's options. */
export const inSeconds =
  (called: string, now: () => Instant): (() => Instant) =>
  () =>
    secondsOf(`${called}: now: answered`, now())
