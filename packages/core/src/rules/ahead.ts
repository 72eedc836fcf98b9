import { type Instant, clockTolerance } from "../model/index.ts"

/**
 * Reports whether a time that another party states is not ahead of our clock, within the tolerance between clocks (RFC 7519 §4.1.5). An
 * absent time is not; anything but a number is.
 */
export const isNotAhead = (moment: unknown, now: Instant): boolean =>
  moment === undefined || (typeof moment === "number" && moment <= now + clockTolerance)
