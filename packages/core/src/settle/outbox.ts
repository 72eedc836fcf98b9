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
  /** The time a claim holds: after it another process may deliver the message. A delivery ends before. */
  readonly lease: Seconds
  /** The time from the first failure to the second attempt; it doubles with each further failure. */
  readonly first: Seconds
  /** The longest time between two attempts. */
  readonly longest: Seconds
  /** The attempts there are; a message that all of them failed for is given up. */
  readonly most: number
  /** The time that a message is kept after it was given up. */
  readonly keepDead: Seconds
}

/** Twelve attempts within two to four hours; a dead letter is kept for 30 days. */
export const deliveryPolicy: DeliveryPolicy = { lease: 60, first: 15, longest: 3600, most: 12, keepDead: 30 * 86_400 }

/** An attempt that did not deliver: refused for good, so that the message is given up, or failed, so that it is tried again, after a moment that was named. */
export type Undelivered =
  | { readonly _tag: "Refused"; readonly failure: string }
  | { readonly _tag: "Failed"; readonly failure: string; readonly notBefore?: Instant | undefined }

/**
 * The outcome of an attempt: it was delivered, it was not, or there was no attempt, since the message had as many as there are. One that was broken off
 * since its process ends says nothing of the message.
 */
export type Delivery = { readonly _tag: "Delivered" } | { readonly _tag: "BrokenOff" } | Undelivered

/** Delivers one message, which it may be given twice. It answers with nothing where that is done; a rejection is a failure, and the message is tried again. */
export type DeliveryHandler = (message: OutboxMessage, signal: AbortSignal) => Promise<Undelivered | void>

/** The command by which a process claims a message that it read; a conflict is that another was first. */
export const claimOf = ({ locator, attempts }: OutboxMessage, claim: string, now: Instant, { lease }: DeliveryPolicy): Command =>
  claimMessage(locator, attempts, claim, now, now + lease)

/** The command that puts a message off whose destination is busy, so that messages to others are seen before it. */
export const deferred = ({ locator, attempts }: OutboxMessage, now: Instant, { lease }: DeliveryPolicy): Command =>
  deferMessage(locator, attempts, now, now + Math.ceil(lease / 4))

/** Reports whether a message, as it was read before the claim, has an attempt left: a process that died of it has used one too. */
export const hasAttemptLeft = ({ attempts }: OutboxMessage, { most }: DeliveryPolicy): boolean => attempts < most

/**
 * The command that an attempt ends with. `message` is as it was read before the claim. `chance`, from 0 up to 1, spreads the next attempts
 * over the second half of the time between them, so that messages which failed together do not come back together.
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
  // A destination that wants to be left alone is, but not for ever (RFC 9110 §10.2.3).
  return postponeMessage(locator, claim, Math.max(dueAt, Math.min(delivery.notBefore ?? 0, now + longest)), failure)
}

/** Commits a change that a delivery has to make before it sends: so nothing that is sent can become untrue. */
export const changedBefore = async ({ commit }: Pick<TokenStorePort, "commit">, commands: ReadonlyArray<Command>): Promise<CommitResult> =>
  commit(commands)

const longestFailure = 500
