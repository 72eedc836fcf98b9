/** A span of time in seconds. */
export type Seconds = number

/** A moment, in whole seconds since 1970-01-01T00:00:00Z, as JWT claims count (RFC 7519 §2 NumericDate). */
export type Instant = number

/** The most that another machine's clock may differ from ours. */
export const clockTolerance: Seconds = 30

/** The time until which the use of something that ends then is remembered: a machine whose clock is behind takes it for longer. */
export const usedUntilEnd = (end: Instant): Instant => Math.ceil(end) + clockTolerance
