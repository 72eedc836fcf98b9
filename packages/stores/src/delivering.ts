import { type Instant, outbox, type OutboxMessage } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { claimOf, type Delivery, type DeliveryPolicy, deliveryPolicy, hasAttemptLeft, settled } from "@postern/core/outbox"
import { randomUUID } from "node:crypto"

/** Delivers one message; a rejection is a failure, and the message is tried again. It may be called twice for one message. */
export type DeliveryHandler = (message: OutboxMessage, signal: AbortSignal) => Promise<void>

/** The options of delivering the outbox's messages in the background. */
export interface DeliveringOptions {
  /** The handler of each kind of message. A message of another kind fails, as one whose handler does. */
  readonly handlers: Readonly<Record<string, DeliveryHandler>>
  /** Number of messages that are delivered at once; 4 when not given. */
  readonly together?: number
  /** Milliseconds between looks when nothing is due; 5 seconds when not given. */
  readonly idle?: number
  /** Leases, pauses and bounds. */
  readonly policy?: DeliveryPolicy
  /** Told when the store failed; the next look comes after `idle`. */
  readonly failed?: (error: unknown) => void
  /** Told of each message that was given up. */
  readonly died?: (message: OutboxMessage, failure: string) => void
  /** Whole seconds since 1970; the system's clock when not given. */
  readonly now?: () => Instant
}

/** Counts of messages. */
export interface DeliveryLoad {
  /** Messages that were due at the last look: 100 stands for that many or more. */
  readonly due: number
  /** Deliveries under way. */
  readonly running: number
  /** Messages delivered since the start. */
  readonly delivered: number
  /** Attempts that failed since the start. */
  readonly failed: number
  /** Messages given up since the start. */
  readonly dead: number
}

/** Deliveries that go on in the background. */
export interface Delivering {
  /** Looks at once for messages that are due, as after a commit that wrote one. */
  readonly wake: () => void
  /** The counts of now. */
  readonly load: () => DeliveryLoad
  /** Claims nothing more, and waits for the deliveries under way. */
  readonly stop: () => Promise<void>
}

/**
 * Delivers messages of the outbox for as long as the process serves. Any number of processes may: each message is claimed before it is
 * delivered, and a claim whose process died runs out. A message is delivered at least once.
 */
export const startDelivering = (
  { tokens }: { readonly tokens: Pick<TokenStorePort, "list" | "commit"> },
  {
    handlers,
    together = 4,
    idle = 5000,
    policy = deliveryPolicy,
    failed,
    died,
    now = () => Math.floor(Date.now() / 1000),
  }: DeliveringOptions,
): Delivering => {
  const process = randomUUID()
  const counts = { due: 0, running: 0, delivered: 0, failed: 0, dead: 0 }
  let claims = 0
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookAgain = false

  const attempt = async (message: OutboxMessage): Promise<Delivery> => {
    const handler = Object.hasOwn(handlers, message.kind) ? handlers[message.kind] : undefined
    if (handler === undefined) return { _tag: "Failed", failure: `there is no handler for ${message.kind}` }
    if (!hasAttemptLeft(message, policy)) return { _tag: "Failed", failure: message.lastFailure ?? "no attempt ended" }
    // Ended well before the claim runs out, whatever the handler does.
    const { signal, expired, clear } = deadline(policy.lease * 500)
    try {
      await Promise.race([handler(message, signal), expired])
      return { _tag: "Delivered" }
    } catch (error) {
      return { _tag: "Failed", failure: error instanceof Error ? error.message : String(error) }
    } finally {
      clear()
    }
  }

  const deliver = async (message: OutboxMessage): Promise<void> => {
    const claim = `${process}.${++claims}`
    if ((await tokens.commit([claimOf(message, claim, now(), policy)])) === "Conflict") return
    counts.running++
    try {
      const delivery = await attempt(message)
      const command = settled(message, claim, delivery, now(), Math.random(), policy)
      // A conflict says that the claim ran out meanwhile: whoever took it over settles the message.
      if ((await tokens.commit([command])) === "Conflict") return
      if (delivery._tag === "Delivered") counts.delivered++
      else counts.failed++
      if (delivery._tag === "Failed" && command.event === "BuryMessage") {
        counts.dead++
        died?.(message, delivery.failure)
      }
    } finally {
      counts.running--
    }
  }

  const round = async (): Promise<boolean> => {
    const due = await tokens.list(outbox, "due", { now: now() })
    counts.due = due.length
    const waiting = [...due]
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !stopped; next = waiting.shift()) await deliver(next)
    }
    // If one lane fails, the others take no more, and are waited for: no round begins, and nothing is closed, while a delivery is under way.
    const failing = (error: unknown): never => {
      waiting.length = 0
      throw error
    }
    const ended = await Promise.allSettled(Array.from({ length: Math.min(together, due.length) }, () => lane().catch(failing)))
    for (const lost of ended) if (lost.status === "rejected") throw lost.reason
    return due.length > 0
  }

  const look = async (): Promise<void> => {
    try {
      do lookAgain = false
      while (((await round()) || lookAgain) && !stopped)
    } catch (error) {
      failed?.(error)
    }
    looking = undefined
    if (!stopped) timer = setTimeout(wake, lookAgain ? 0 : idle).unref()
  }
  const wake = (): void => {
    clearTimeout(timer)
    lookAgain = true
    if (!stopped) looking ??= look()
  }
  // Without a handler nothing is written, so nobody looks.
  if (Object.keys(handlers).length > 0) wake()
  return {
    wake,
    load: () => ({ ...counts }),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

/** A signal that is aborted after so many milliseconds, and a promise that rejects then. */
const deadline = (milliseconds: number): { readonly signal: AbortSignal; readonly expired: Promise<never>; readonly clear: () => void } => {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const late = new Error(`not delivered within ${milliseconds / 1000} seconds`)
      abort.abort(late)
      reject(late)
    }, milliseconds)
  })
  return { signal: abort.signal, expired, clear: () => clearTimeout(timer) }
}
