import type { Seconds } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/**
 * The requests that are limited: of a client and from an address at the token endpoint, from an address at the authorization endpoint and on the pages to which
 * devices and backchannel requests lead, of a client and from an address at the device authorization endpoint, at the pushed authorization request endpoint and at
 * the backchannel authentication endpoint, from an address that registers new clients, from an address for which documents of clients are fetched, and from an address that sends logout
 * tokens.
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

/** Counts requests against what their senders may send. */
export interface LimiterPort {
  /** Takes one request of a sender, at a moment in milliseconds; 0 when it was left, else after how many seconds one will be. Answers at once. */
  readonly take: (of: Limited, sender: string, millis: number) => Seconds
}

/** The requests of one sender that one process let through since it told the store last. Times are in milliseconds, and need not be whole. */
export interface TakenRequests {
  /** Names the sender's bucket. */
  readonly key: string
  /** Time that the bucket takes to refill what they took. */
  readonly taken: number
  /** The time the bucket would be full again, since 1970, had they been the only ones. */
  readonly alone: number
}

/** The place where several processes count requests together. It keeps of each bucket when it is full again. */
export interface RequestCountsPort {
  /**
   * Adds what was let through, each key once, and answers when each of these buckets is full again by everybody's count, in the same order.
   * The answer is the latest of three: the kept moment, `alone`, and the kept moment plus `taken` but not more than two minutes after
   * `millis`. A kept moment more than three minutes after `millis`, the caller's moment, is of a clock that was wrong, and as good as not
   * kept. The count of a bucket may be dropped once the bucket is full.
   */
  readonly exchange: (taken: ReadonlyArray<TakenRequests>, millis: number) => Awaitable<ReadonlyArray<number>>
}
