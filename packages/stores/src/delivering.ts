import { type Instant, outbox, type OutboxMessage } from "@postern/core/model"
import { listed, type TokenStorePort } from "@postern/core/ports"
import {
  claimOf,
  deferred,
  type Delivery,
  type DeliveryHandler,
  type DeliveryPolicy,
  deliveryPolicy,
  hasAttemptLeft,
  settled,
} from "@postern/core/outbox"
import { randomUUID } from "node:crypto"
import { noDestinations, type Underway } from "./destinations.ts"

export type { DeliveryHandler } from "@postern/core/outbox"

/** The options of delivering the outbox's messages in the background. */
export interface DeliveringOptions {
  /**
   * The handler of each kind of message, or a function that is asked for them at each look, for handlers that change while the process serves. Messages of other
   * kinds are left alone: another version of Postern may have their handler.
   */
  readonly handlers: Readonly<Record<string, DeliveryHandler>> | (() => Readonly<Record<string, DeliveryHandler>>)
  /** Names the destination of a message, such as its host; its kind when not given, or when this throws. */
  readonly destination?: (message: OutboxMessage) => string
  /** Number of messages that are delivered at once; 8 when not given. */
  readonly together?: number
  /** Number of messages that are delivered at once to one destination; 2 when not given. */
  readonly perDestination?: number
  /** Milliseconds after which a destination counts as slow if all of its places have been taken for that long. Default: one second. */
  readonly slow?: number
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
  /** Looks at once for messages that were just written, and answers when each of them had an attempt, or after so many milliseconds. */
  readonly attempted: (messages: ReadonlyArray<Pick<OutboxMessage, "locator">>, milliseconds: number) => Promise<void>
  /** The counts of now. */
  readonly load: () => DeliveryLoad
  /** Claims nothing more, breaks off the deliveries under way, and gives their claims back: the messages are due at once, and no attempt is used. */
  readonly stop: () => Promise<void>
}

/**
 * Delivers messages of the outbox for as long as the process serves. Any number of processes may: each message is claimed before it is
 * delivered, and a claim whose process died runs out. A message is delivered at least once.
 *
 * A delivery that ends makes room for the next message at once. Destinations take turns, and so do the kinds of their messages. A destination has
 * a few of the places only, one where its last attempt failed, and while these are taken its further messages wait without an attempt. Where a look sees nothing but messages to a slow one, they are put off, and the next look sees beyond them.
 */
export const startDelivering = (
  { tokens }: { readonly tokens: Pick<TokenStorePort, "list" | "commit"> },
  {
    handlers,
    destination = ({ kind }) => kind,
    together = 8,
    perDestination = 2,
    slow = 1000,
    idle = 5000,
    policy = deliveryPolicy,
    failed,
    died,
    now = () => Math.floor(Date.now() / 1000),
  }: DeliveringOptions,
): Delivering => {
  const process = randomUUID()
  const counts = { due: 0, delivered: 0, failed: 0, dead: 0 }
  const handlersNow = typeof handlers === "function" ? handlers : () => handlers
  const destinations = noDestinations({ together, perDestination, slow })
  /** Deliveries under way, by message, each with its destination. */
  const running = new Map<string, Underway & { readonly ended: Promise<void> }>()
  const stopping = new AbortController()
  /** Those who wait for the first attempt at a message, by message. */
  const waiting = new Map<string, () => void>()
  let claims = 0
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookAgain = false
  /** The earliest moment at which messages may be put off again: a long backlog must not keep the store busy. */
  let nextPuttingOff = 0
  const soon = Math.min(idle, 100)

  const attempt = async (message: OutboxMessage, handler: DeliveryHandler, to: string): Promise<Delivery> => {
    if (!hasAttemptLeft(message, policy)) return { _tag: "Failed", failure: message.lastFailure ?? "no attempt ended" }
    // Ended well before the claim runs out, whatever the handler does.
    const limit = bounded(policy.lease * 500, stopping.signal)
    try {
      const undelivered = await Promise.race([handler(message, limit.signal), limit.ended])
      // One that refuses a message answers, and takes others.
      destinations.ended(to, undelivered?._tag !== "Failed")
      return undelivered ?? { _tag: "Delivered" }
    } catch (error) {
      if (stopping.signal.aborted) return { _tag: "BrokenOff" }
      destinations.ended(to, false)
      return { _tag: "Failed", failure: error instanceof Error ? error.message : String(error) }
    } finally {
      limit.clear()
    }
  }

  const deliver = async (message: OutboxMessage, handler: DeliveryHandler, to: string): Promise<void> => {
    const claim = `${process}.${++claims}`
    if ((await tokens.commit([claimOf(message, claim, now(), policy)])) === "Conflict") return
    const delivery = await attempt(message, handler, to)
    const command = settled(message, claim, delivery, now(), Math.random(), policy)
    // A conflict says that the claim ran out meanwhile: whoever took it over settles the message.
    if ((await tokens.commit([command])) === "Conflict") return
    if (delivery._tag === "Delivered") counts.delivered++
    if (delivery._tag !== "Failed" && delivery._tag !== "Refused") return
    counts.failed++
    if (command.event !== "BuryMessage") return
    counts.dead++
    died?.(message, delivery.failure)
  }

  /**
   * Names the destination of a message. If that throws, its kind is used, so that only this message's attempt fails and not the whole
   * round.
   */
  const destinationOf = (message: OutboxMessage): string => {
    try {
      return destination(message)
    } catch {
      return message.kind
    }
  }

  /** Starts a delivery, which looks again when it has ended. A store that fails has the next look come later. */
  const begin = (message: OutboxMessage, handler: DeliveryHandler, to: string): void => {
    const delivery = deliver(message, handler, to).then(
      () => true,
      (error: unknown) => (failed?.(error), false),
    )
    const ended = delivery.then((isWell) => {
      running.delete(message.locator)
      waiting.get(message.locator)?.()
      if (isWell) wake()
    })
    running.set(message.locator, { to, since: performance.now(), ended })
  }

  const underway = () => [...running.values()]

  /**
   * Begins what there is room for, and where places are left but a look sees no further, puts off what waits for slow destinations: all of it in one commit,
   * which is a conflict where another process was first with one of them. Reports whether another look is to come soon.
   */
  const round = async (): Promise<boolean> => {
    const known = handlersNow()
    const lists = await Promise.all(Object.keys(known).map(async (kind) => tokens.list(outbox, "dueOfKind", { kind, now: now() })))
    counts.due = lists.reduce((sum, { length }) => sum + length, 0)
    const found = lists.flat().filter(({ locator }) => !running.has(locator))
    const candidates = new Set(found.map((message) => ({ message, to: destinationOf(message) })))
    while (!stopping.signal.aborted) {
      const next = destinations.next(candidates, underway())
      const handler = next && known[next.message.kind]
      if (next === undefined || handler === undefined) break
      begin(next.message, handler, next.to)
    }
    const full = new Set(lists.flatMap((list) => (list.length >= listed ? list : [])))
    const held = [...candidates].filter(({ message, to }) => full.has(message) && destinations.isSlow(to, underway()))
    if (held.length === 0 || running.size >= together || stopping.signal.aborted) return false
    if (performance.now() < nextPuttingOff) return true
    nextPuttingOff = performance.now() + soon
    await tokens.commit(held.map(({ message }) => deferred(message, now(), policy)))
    return true
  }

  const look = async (): Promise<void> => {
    let pause = idle
    try {
      do {
        lookAgain = false
        pause = (await round()) ? soon : idle
      } while (lookAgain && !stopping.signal.aborted)
    } catch (error) {
      failed?.(error)
      pause = idle
    }
    looking = undefined
    if (!stopping.signal.aborted) timer = setTimeout(wake, pause).unref()
  }
  const wake = (): void => {
    clearTimeout(timer)
    lookAgain = true
    if (!stopping.signal.aborted) looking ??= look()
  }
  // Without a handler nothing is written, so nobody looks.
  if (Object.keys(handlersNow()).length > 0) wake()
  return {
    wake,
    attempted: async (messages, milliseconds) => {
      const limit = bounded(milliseconds, stopping.signal)
      const firsts = messages.map(async ({ locator }) => new Promise<void>((resolve) => void waiting.set(locator, resolve)))
      wake()
      await Promise.race([Promise.all(firsts), limit.ended.catch(() => undefined)])
      limit.clear()
      for (const { locator } of messages) waiting.delete(locator)
    },
    load: () => ({ ...counts, running: running.size }),
    stop: async () => {
      stopping.abort(new Error("the process ends"))
      clearTimeout(timer)
      await looking
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

/** A signal that is aborted after so many milliseconds or with another one, and a promise that rejects then. */
const bounded = (
  milliseconds: number,
  other: AbortSignal,
): { readonly signal: AbortSignal; readonly ended: Promise<never>; readonly clear: () => void } => {
  const abort = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  // The handler may win the race.
  ended.catch(() => undefined)
  const end = (reason: unknown): void => {
    abort.abort(reason)
    reject(reason)
  }
  const stop = (): void => end(other.reason)
  const timer = setTimeout(() => end(new Error(`not delivered within ${milliseconds / 1000} seconds`)), milliseconds)
  other.addEventListener("abort", stop)
  if (other.aborted) stop()
  return {
    signal: abort.signal,
    ended,
    clear: () => {
      clearTimeout(timer)
      other.removeEventListener("abort", stop)
    },
  }
}
