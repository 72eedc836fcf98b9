import {
  buryMessage,
  claimMessage,
  deferMessage,
  type Command,
  type CommitResult,
  deliverMessage,
  type Instant,
  type OutboxMessage,
  postponeMessage,
  releaseMessage,
  type Seconds,
} from "../model/index.ts"
import type { TokenStorePort } from "../ports/index.ts"

/** The number and spacing of attempts to deliver a message. */
export interface DeliveryPolicy {
  /** The duration of a claim, after which another process may deliver the message. A delivery ends before. */
  readonly lease: Seconds
  /** The time from the first failure to the second attempt; it doubles with each further failure. */
  readonly first: Seconds
  /** The maximum time between two attempts. */
  readonly longest: Seconds
  /** The maximum number of attempts, after which delivery is given up. */
  readonly most: number
  /** The time for which a message is kept after delivery was given up. */
  readonly keepDead: Seconds
}

/** Twelve attempts within two to four hours; a dead letter is kept for 30 days. */
export const deliveryPolicy: DeliveryPolicy = { lease: 60, first: 15, longest: 3600, most: 12, keepDead: 30 * 86_400 }

/**
 * A failed delivery attempt: refused permanently, so that delivery is given up, or failed temporarily, so that it is retried, possibly not
 * before a stated time.
 */
export type Undelivered =
  | { readonly _tag: "Refused"; readonly failure: string }
  | { readonly _tag: "Failed"; readonly failure: string; readonly notBefore?: Instant | undefined }

/**
 * The outcome of an attempt: the message was delivered, it was not, or all attempts had been used up. An attempt that was aborted because
 * its process stops says nothing about the message.
 */
export type Delivery = { readonly _tag: "Delivered" } | { readonly _tag: "BrokenOff" } | Undelivered

/**
 * Delivers one message, which it may receive twice. It resolves to undefined on success; a rejection is a failure, and the message is
 * retried.
 */
export type DeliveryHandler = (message: OutboxMessage, signal: AbortSignal) => Promise<Undelivered | void>

/** Returns the command with which a process claims a message that it has read; a conflict means that another process was first. */
export const claimOf = ({ locator, attempts }: OutboxMessage, claim: string, now: Instant, { lease }: DeliveryPolicy): Command =>
  claimMessage(locator, attempts, claim, now, now + lease)

/** Returns the command that postpones a message whose destination is busy, so that messages for others are processed first. */
export const deferred = ({ locator, attempts }: OutboxMessage, now: Instant, { lease }: DeliveryPolicy): Command =>
  deferMessage(locator, attempts, now, now + Math.ceil(lease / 4))

/** Reports whether a message, as read before the claim, has an attempt left. A process that crashed on it has used one too. */
export const hasAttemptLeft = ({ attempts }: OutboxMessage, { most }: DeliveryPolicy): boolean => attempts < most

/**
 * Returns the command that ends an attempt. `message` is the message as read before the claim. `chance`, from 0 up to 1, spreads the next
 * attempts over the second half of the interval, so that messages that failed together are not retried together.
 */
export const settled = (
  { locator, attempts }: OutboxMessage,
  claim: string,
  delivery: Delivery,
  now: Instant,
  chance: number,
  { first, longest, most, keepDead }: DeliveryPolicy,
): Command => {
  if (delivery._tag === "Delivered") return deliverMessage(locator, claim)
  if (delivery._tag === "BrokenOff") return releaseMessage(locator, claim, now)
  const failure = delivery.failure.slice(0, longestFailure)
  if (delivery._tag === "Refused" || attempts + 1 >= most) return buryMessage(locator, claim, now, now + keepDead, failure)
  const pause = Math.min(first * 2 ** attempts, longest)
  const dueAt = now + Math.ceil(pause * (0.5 + chance / 2))
  // A destination's request for a pause is honored, but not indefinitely (RFC 9110 §10.2.3).
  return postponeMessage(locator, claim, Math.max(dueAt, Math.min(delivery.notBefore ?? 0, now + longest)), failure)
}

/** Commits a change that a delivery must make before it sends, so that nothing that is sent can become untrue. */
export const changedBefore = async ({ commit }: Pick<TokenStorePort, "commit">, commands: ReadonlyArray<Command>): Promise<CommitResult> =>
  commit(commands)

const longestFailure = 500
