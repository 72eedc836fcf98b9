import type { Seconds } from "../model/index.ts"
import type { TakenRequests } from "../ports/index.ts"

/** Time that an empty bucket takes to refill, in milliseconds: it holds a minute's requests. */
export const minute = 60_000

/** Requests that several processes let through beside each other keep a sender waiting for a minute more, and no longer. */
export const longest = 2 * minute

/** A bucket that would be full later than this was filled by a clock that was wrong. */
export const impossible = 3 * minute

/** From when a bucket is as if it had been filled, by the moment at which it is full again. */
export const countedFrom = (fullAt: number, now: number): number => (fullAt < now || fullAt > now + impossible ? now : fullAt)

/** After how long a bucket has a request left, each of which takes an interval; 0 when it has one now. */
export const waitOf = (from: number, interval: number, now: number): Seconds => {
  const wait = from + interval - (now + minute)
  return wait > 0.001 ? Math.ceil(wait / 1000) : 0
}

/** The time a bucket is full again after more was taken, as `RequestCountsPort` says it. */
export const mergedRequests = (kept: number | undefined, { taken, alone }: TakenRequests, millis: number): number =>
  kept === undefined || kept > millis + impossible ? alone : Math.max(kept, alone, Math.min(kept + taken, millis + longest))
