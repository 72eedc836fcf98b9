import { partFaults, refuseFaults } from "../model/members.ts"
import type { LimiterPort, RequestCountsPort, TakenRequests } from "../ports/index.ts"
import { countedFrom, longest, mergedRequests, minute, waitOf } from "./bucket.ts"
import { type RequestLimits, eachLimited, refuseLimits } from "./limiter.ts"

/** A limiter that shares its counts with those of other processes. */
export interface SharedLimiter extends LimiterPort {
  /**
   * Reports to the store the requests that were let through since the last exchange, and learns those that other processes let through.
   * Times are in milliseconds since 1970. Resolves to true if there is more to report than fits in one exchange. Call it repeatedly, one
   * call at a time. If it rejects, nothing is lost.
   */
  readonly exchange: (millis: number) => Promise<boolean>
}

/**
 * Limits the requests to several processes together. Each process answers at once, by its own count and by the last known counts of the
 * others. A single process answers as `memoryLimiter` does. In any minute, all processes together let through no more requests of a sender
 * than the limit allows one process, plus those that each other process let through between the start of one exchange and the end of the
 * next. While the store does not answer, each process counts alone and reports later. Requests that were reported in an exchange whose
 * answer was lost may count twice.
 */
export const sharedLimiter = (options: RequestLimits, counts: RequestCountsPort): SharedLimiter => {
  refuseLimits("sharedLimiter", options)
  refuseFaults("sharedLimiter", partFaults("counts", counts, { exchange: "function" }, "RequestCountsPort"))
  const { senders = 100_000, ...perMinute } = options
  const untold = new Map<string, Bucket>()
  const limits = eachLimited((of) => bucketsOf(perMinute[of], senders, untold))
  const mayTell = newcomers(senders)
  let first: number | undefined

  /** Takes as many unreported requests as fit in one exchange. Each bucket is left as if all its requests had been reported. */
  const telling = (since: number, millis: number): ReadonlyArray<Telling> => {
    const all: Array<Telling> = []
    for (const [key, bucket] of untold) {
      if (all.length === slice) break
      untold.delete(key)
      const { count, alone, interval, told } = bucket
      if (told === undefined && !mayTell(millis)) continue
      // Of requests that were let through long ago, while the store did not answer, at most one minute's worth can matter.
      const taken = Math.max(0, Math.min(count * interval, since + alone - millis + minute))
      all.push({ bucket, count, alone, row: { key, taken, alone: since + alone } })
      bucket.count = 0
      bucket.alone = Number.NEGATIVE_INFINITY
    }
    return all
  }

  return {
    take: (of, sender, millis) => limits[of](`${of} ${sender}`, millis - (first ??= millis)),
    exchange: async (millis) => {
      const since = first ?? millis
      const all = telling(since, millis)
      if (all.length === 0) return false
      try {
        const answers = await counts.exchange(
          all.map(({ row }) => row),
          millis,
        )
        for (const [at, { bucket, row }] of all.entries()) learn(bucket, row, answers[at] ?? row.alone, since, millis)
      } catch (error) {
        for (const { bucket, count, alone, row } of all) {
          bucket.alone = Math.max(bucket.alone, alone + bucket.count * bucket.interval)
          bucket.count += count
          if (bucket.remembered) untold.set(row.key, bucket)
        }
        throw error
      }
      return all.length === slice
    },
  }
}

/** Maximum number of senders in one exchange. */
const slice = 1000

interface Bucket {
  readonly interval: number
  /** Milliseconds since the first request, based on everything that this process knows. */
  fullAt: number
  /** Number of requests not yet reported to the store, and the time at which the bucket would be full again if they were the only ones. */
  count: number
  alone: number
  /** The store's last answer. */
  told: number | undefined
  /** True until it is removed for another sender's bucket. */
  remembered: boolean
}

/** The row that reports one bucket to the store, and the bucket's values from which it was made. */
interface Telling extends Pick<Bucket, "count" | "alone"> {
  readonly bucket: Bucket
  readonly row: TakenRequests
}

const bucketsOf = (perMinute: number | undefined, senders: number, untold: Map<string, Bucket>): ((key: string, now: number) => number) => {
  if (perMinute === undefined) return () => 0
  const interval = minute / perMinute
  const buckets = new Map<string, Bucket>()
  return (key, now) => {
    const bucket = buckets.get(key) ?? { interval, fullAt: now, count: 0, alone: now, told: undefined, remembered: true }
    const from = countedFrom(bucket.fullAt, now)
    const wait = waitOf(from, interval, now)
    if (wait > 0) return wait
    bucket.fullAt = from + interval
    bucket.alone = countedFrom(bucket.alone, now) + interval
    bucket.count++
    untold.set(key, bucket)
    buckets.delete(key)
    buckets.set(key, bucket)
    const [oldest] = buckets.size > senders ? buckets.entries() : []
    if (oldest !== undefined) {
      oldest[1].remembered = false
      buckets.delete(oldest[0])
      untold.delete(oldest[0])
    }
    return 0
  }
}

/**
 * Updates a bucket with the requests of others in the store's answer. If the answer is no more than this process's requests account for,
 * its own count stays, which is exact.
 */
const learn = (bucket: Bucket, row: TakenRequests, answer: number, since: number, millis: number): void => {
  const expected = mergedRequests(bucket.told, row, millis)
  bucket.told = answer
  if (answer > expected) bucket.fullAt = Math.max(bucket.fullAt, answer - since + bucket.count * bucket.interval, bucket.alone)
}

/**
 * Bounds the rows of the store: the number of newly reported senders is limited for the time that a row may last. Further senders are
 * counted only in this process.
 */
const newcomers = (most: number): ((millis: number) => boolean) => {
  let since = Number.NEGATIVE_INFINITY
  let count = 0
  return (millis) => {
    if (millis < since || millis >= since + longest) [since, count] = [millis, 0]
    return ++count <= most
  }
}
