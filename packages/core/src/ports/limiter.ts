import type { Seconds } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/**
 * The requests that are rate limited, by their endpoint and by the sender that they are counted for. At the token endpoint, the device
 * authorization endpoint, the pushed authorization request endpoint and the backchannel authentication endpoint, a client and an address
 * are counted. An address alone is counted at the authorization endpoint, on the pages of devices and backchannel requests, when it
 * registers clients, when client documents are fetched for it, and when it sends logout tokens.
 */
export type Limited =
  | "client"
  | "address"
  | "authorizeAddress"
  | "deviceClient"
  | "deviceAddress"
  | "pushClient"
  | "pushAddress"
  | "registrationAddress"
  | "backchannelClient"
  | "backchannelAddress"
  | "documentAddress"
  | "logoutAddress"

/** Limits the request rate of each sender. */
export interface LimiterPort {
  /**
   * Takes one request from a sender's allowance at a time in milliseconds. Returns 0 if the request is allowed, otherwise the seconds until
   * the next one is. Must be synchronous.
   */
  readonly take: (of: Limited, sender: string, millis: number) => Seconds
}

/**
 * The requests of one sender that one process has allowed since its last report to the store. Times are in milliseconds and may be
 * fractional.
 */
export interface TakenRequests {
  /** The key of the sender's bucket. */
  readonly key: string
  /** Milliseconds that the bucket needs to refill what these requests took. */
  readonly taken: number
  /** The time at which the bucket would be full again, in milliseconds since 1970, if there had been no other requests. */
  readonly alone: number
}

/** Combines the request counts of several processes. It stores for each bucket the time at which it is full again. */
export interface RequestCountsPort {
  /**
   * Adds the allowed requests, with each key at most once, and returns in the same order when each of these buckets is full again by the
   * combined count. The result is the latest of three: the stored time, `alone`, and the stored time plus `taken` but at most two minutes
   * after `millis`, the caller's time. A stored time more than three minutes after `millis` came from a wrong clock and is ignored. The
   * count of a bucket may be deleted once the bucket is full.
   */
  readonly exchange: (taken: ReadonlyArray<TakenRequests>, millis: number) => Awaitable<ReadonlyArray<number>>
}
