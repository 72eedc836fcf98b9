/** A span of time in seconds. */
export type Seconds = number

/** A moment, in whole seconds since 1970-01-01T00:00:00Z, as JWT claims count (RFC 7519 §2 NumericDate). */
export type Instant = number
