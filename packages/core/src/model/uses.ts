import type { Instant } from "./time.ts"

/** The number of attempts under a key until the count is reset. */
export interface Attempts {
  /** The key under which attempts are counted. */
  readonly key: string
  /** The attempts so far. */
  readonly count: number
  /** The time at which the count is reset. */
  readonly resetAt: Instant
}

/** A single-use value that has been used. */
export interface Use {
  /** The key that represents the value. */
  readonly key: string
  /** The time from which it may be used again. */
  readonly expiresAt: Instant
}
