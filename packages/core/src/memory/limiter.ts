import { type MemberKind, memberFaults, refuseFaults } from "../model/members.ts"
import type { Limited, LimiterPort } from "../ports/index.ts"
import { countedFrom, minute, waitOf } from "./bucket.ts"

/** Number of requests per minute that each sender may send. Default: unlimited. */
export interface RequestLimits extends Readonly<Partial<Record<Limited, number | undefined>>> {
  /** Senders that are remembered at the same time. Default: 100,000. Beyond that, the least recent sender is forgotten. */
  readonly senders?: number
}

/**
 * Limits the requests to one process. Each sender has a bucket that holds the requests of one minute and refills evenly, so that a burst of
 * that size passes. For each bucket only the time at which it is full again is stored; a full bucket is equivalent to an unknown one.
 */
export const memoryLimiter = (options: RequestLimits): LimiterPort => {
  refuseLimits("memoryLimiter", options)
  const { senders = 100_000, ...perMinute } = options
  const limits = eachLimited((of) => bucketsOf(perMinute[of], senders))
  return { take: (of, sender, millis) => limits[of](sender, millis) }
}

/** Makes one value for each kind of request that is limited. */
export const eachLimited = <A>(make: (of: Limited) => A): Readonly<Record<Limited, A>> => ({
  client: make("client"),
  address: make("address"),
  authorizeAddress: make("authorizeAddress"),
  deviceClient: make("deviceClient"),
  deviceAddress: make("deviceAddress"),
  pushClient: make("pushClient"),
  pushAddress: make("pushAddress"),
  registrationAddress: make("registrationAddress"),
  backchannelClient: make("backchannelClient"),
  backchannelAddress: make("backchannelAddress"),
  documentAddress: make("documentAddress"),
  logoutAddress: make("logoutAddress"),
})

/** Throws a `TypeError` for limits that there are none of, or that are no numbers: such a request would not be limited. */
export const refuseLimits = (called: string, options: RequestLimits): void =>
  refuseFaults(called, memberFaults(options, { senders: "number?", ...eachLimited((): MemberKind => "number?") }))

const bucketsOf = (perMinute: number | undefined, senders: number): ((sender: string, millis: number) => number) => {
  if (perMinute === undefined) return () => 0
  const interval = minute / perMinute
  const fullAt = new Map<string, number>()
  let first: number | undefined
  return (sender, millis) => {
    // Times are relative to the first request, because a sum of many intervals would lose precision next to the milliseconds since 1970.
    const now = millis - (first ??= millis)
    const from = countedFrom(fullAt.get(sender) ?? now, now)
    const wait = waitOf(from, interval, now)
    if (wait > 0) return wait
    // The sender is moved to the end, so that the first entry is the least recent sender.
    fullAt.delete(sender)
    fullAt.set(sender, from + interval)
    const [oldest] = fullAt.size > senders ? fullAt.keys() : []
    if (oldest !== undefined) fullAt.delete(oldest)
    return 0
  }
}
