import type { Limited, LimiterPort } from "../ports/index.ts"
import { countedFrom, minute, waitOf } from "./bucket.ts"

/** Number of requests a minute that each sender may send. Any number when not given. */
export interface RequestLimits extends Readonly<Partial<Record<Limited, number | undefined>>> {
  /** Senders that are remembered at once; 100,000 when not given. Beyond that the one heard of longest ago may begin anew. */
  readonly senders?: number
}

/**
 * Limits what is asked of one process: a bucket for each sender that holds a minute's requests and refills evenly, so that a burst of
 * that many passes. Of each bucket one number is kept, the moment at which it is full again; what is full is as good as unknown.
 */
export const memoryLimiter = ({ senders = 100_000, ...perMinute }: RequestLimits): LimiterPort => {
  const limits = eachLimited((of) => bucketsOf(perMinute[of], senders))
  return { take: (of, sender, millis) => limits[of](sender, millis) }
}

/** One of something for each kind of request that is limited. */
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

const bucketsOf = (perMinute: number | undefined, senders: number): ((sender: string, millis: number) => number) => {
  if (perMinute === undefined) return () => 0
  const interval = minute / perMinute
  const fullAt = new Map<string, number>()
  let first: number | undefined
  return (sender, millis) => {
    // Counted from the first moment there was: a sum of many intervals would lose too much beside the milliseconds since 1970.
    const now = millis - (first ??= millis)
    const from = countedFrom(fullAt.get(sender) ?? now, now)
    const wait = waitOf(from, interval, now)
    if (wait > 0) return wait
    // Sent to the end of the line: the first one is who was heard of longest ago.
    fullAt.delete(sender)
    fullAt.set(sender, from + interval)
    const [oldest] = fullAt.size > senders ? fullAt.keys() : []
    if (oldest !== undefined) fullAt.delete(oldest)
    return 0
  }
}
