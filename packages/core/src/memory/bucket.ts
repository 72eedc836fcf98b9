import type { Seconds } from "../model/index.ts"
import type { TakenRequests } from "../ports/index.ts"

/** Time in milliseconds in which an empty bucket refills. A bucket holds the requests of one minute. */
export const minute = 60_000

/**
 * The limit of a bucket's refill time. Requests that several processes accept concurrently make a sender wait for at most one more minute.
 */
export const longest = 2 * minute

/** A bucket that would be full later than this was filled with a wrong clock. */
export const impossible = 3 * minute

/** The time from which a bucket's requests are counted, given the time at which it is full again. */
export const countedFrom = (fullAt: number, now: number): number => (fullAt < now || fullAt > now + impossible ? now : fullAt)

/** The seconds until a bucket has room for a request, each of which takes an interval; 0 if it has room now. */
export const waitOf = (from: number, interval: number, now: number): Seconds => {
  const wait = from + interval - (now + minute)
  return wait > 0.001 ? Math.ceil(wait / 1000) : 0
}

/** The time at which a bucket is full again after more requests were taken, as defined by `RequestCountsPort`. */
export const mergedRequests = (kept: number | undefined, { taken, alone }: TakenRequests, millis: number): number =>
  kept === undefined || kept > millis + impossible ? alone : Math.max(kept, alone, Math.min(kept + taken, millis + longest))
