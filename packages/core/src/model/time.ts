/** A span of time in seconds. */
export type Seconds = number

/** A time in whole seconds since 1970-01-01T00:00:00Z, as in JWT claims (RFC 7519 §2 NumericDate). */
export type Instant = number

/** The maximum difference between another machine's clock and ours. */
export const clockTolerance: Seconds = 30

/**
 * Returns the time until which a use is remembered of something that expires at `end`. A machine whose clock is behind accepts it for
 * longer.
 */
export const usedUntilEnd = (end: Instant): Instant => Math.ceil(end) + clockTolerance
