import type { Instant } from "../model/index.ts"

/** Wraps a clock that counts seconds, past the year 9999. By the milliseconds of `Date.now` every row and key would have expired long ago, and would be deleted. */
export const inSeconds = (now: () => Instant) => (): Instant => {
  const at = now()
  if (!(at < 1e12)) throw new TypeError(`now: answered ${String(at)}, and must count seconds since 1970`)
  return at
}
