import type { Instant } from "./time.ts"

/** Number of tries under a key, until a moment after which the count starts over. */
export interface Attempts {
  /** The key attempts are counted under. */
  readonly key: string
  /** The attempts so far. */
  readonly count: number
  /** The time they are forgotten. */
  readonly resetAt: Instant
}

/** A value that may be used once until a moment, and was used. */
export interface Use {
  /** The key that stands for the value. */
  readonly key: string
  /** The time from which it may be used again. */
  readonly expiresAt: Instant
}
