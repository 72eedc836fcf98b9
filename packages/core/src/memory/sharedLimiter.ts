import type { LimiterPort, RequestCountsPort, TakenRequests } from "../ports/index.ts"
import { countedFrom, longest, mergedRequests, minute, waitOf } from "./bucket.ts"
import { type RequestLimits, eachLimited } from "./limiter.ts"

/** A limiter that shares its counts with those of other processes. */
export interface SharedLimiter extends LimiterPort {
  /**
   * Tells the store what was let through since it was told last, and learns what others let through; in milliseconds since 1970. Answers
   * whether there is more to tell than goes at once. To be called again and again, one call at a time. When it rejects nothing is lost.
   */
  readonly exchange: (millis: number) => Promise<boolean>
}

/**
 * Limits what is asked of several processes together. Each answers at once, by its own count and by what it learnt of the others, and
 * a process that is alone answers as `memoryLimiter` does. In any minute a sender gets no more past all of them than the limit allows one, and
 * besides what each of the others let through between the beginning of one exchange and the end of the next. While the store does
 * not answer each counts for itself, and tells it later; what it was told without being able to answer may count twice.
 */
export const sharedLimiter = ({ senders = 100_000, ...perMinute }: RequestLimits, counts: RequestCountsPort): SharedLimiter => {
  const untold = new Map<string, Bucket>()
  const limits = eachLimited((of) => bucketsOf(perMinute[of], senders, untold))
  const mayTell = newcomers(senders)
  let first: number | undefined

  /** Takes as much of what is untold as goes at once; each bucket is left as one that has told all of it. */
  const telling = (since: number, millis: number): ReadonlyArray<Telling> => {
    const all: Array<Telling> = []
    for (const [key, bucket] of untold) {
      if (all.length === slice) break
      untold.delete(key)
      const { count, alone, interval, told } = bucket
      if (told === undefined && !mayTell(millis)) continue
      // Of what was let through long ago, while the store did not answer, no more than a minute's can matter.
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

/** Maximum number of senders that one exchange tells of. */
const slice = 1000

interface Bucket {
  readonly interval: number
  /** Milliseconds since the first moment there was, by what this process knows of everybody. */
  fullAt: number
  /** Number let through that the store was not told of, and the time the bucket would be full again had they been the only ones. */
  count: number
  alone: number
  /** The store's last answer. */
  told: number | undefined
  /** True if it has not made way for another sender's. */
  remembered: boolean
}

/** The row that the store is told of one bucket, and the bucket's values that it was made of. */
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
 * Takes from the store's answer what others let through. Where it is no more than this process alone would have come to, its own count stands,
 * which is exact.
 */
const learn = (bucket: Bucket, row: TakenRequests, answer: number, since: number, millis: number): void => {
  const expected = mergedRequests(bucket.told, row, millis)
  bucket.told = answer
  if (answer > expected) bucket.fullAt = Math.max(bucket.fullAt, answer - since + bucket.count * bucket.interval, bucket.alone)
}

/** Bounds the rows of the store: of senders it was not told of before, so many in the time a row may last. Others are counted here alone. */
const newcomers = (most: number): ((millis: number) => boolean) => {
  let since = Number.NEGATIVE_INFINITY
  let count = 0
  return (millis) => {
    if (millis < since || millis >= since + longest) [since, count] = [millis, 0]
    return ++count <= most
  }
}
