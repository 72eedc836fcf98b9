import { systemClock } from "./clock.ts"
import { type Instant, messageOf, outbox, type OutboxMessage } from "@postern/core/model"
import { defaultPortTimeout, listed, type TokenStorePort } from "@postern/core/ports"
import { deliveryPolicyKinds, inSeconds, kindFault, type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
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
import { bounded, inTime } from "./timeLimits.ts"

export type { DeliveryHandler } from "@postern/core/outbox"

/** Options for delivering the outbox's messages in the background. */
export interface DeliveringOptions {
  /**
   * The handler of each kind of message. Give a function if handlers change while the process runs; it is called for each poll. Messages of
   * other kinds are left alone, because another version of Postern may have their handler.
   */
  readonly handlers: Readonly<Record<string, DeliveryHandler>> | (() => Readonly<Record<string, DeliveryHandler>>)
  /** Names the destination of a message, such as its host. A message's kind is used by default, or if this throws. */
  readonly destination?: (message: OutboxMessage) => string
  /** The maximum number of concurrent deliveries. Default: 8. */
  readonly together?: number
  /** The maximum number of concurrent deliveries to one destination. Default: 2. */
  readonly perDestination?: number
  /** Milliseconds after which a destination counts as slow if all of its places have been taken for that long. Default: one second. */
  readonly slow?: number
  /** Milliseconds between two polls if nothing is due. Default: 5 seconds. */
  readonly idle?: number
  /** The lease, the pauses between attempts, and the limits. */
  readonly policy?: DeliveryPolicy
  /** The time limit of each call of the store, in milliseconds. Default: 20 seconds. */
  readonly portTimeout?: number
  /** Called if the store fails. The next poll follows after `idle`. */
  readonly failed?: (error: unknown) => void
  /** Called for each message that is given up. */
  readonly died?: (message: OutboxMessage, failure: string) => void
  /** Whole seconds since 1970. Default: the system clock. */
  readonly now?: () => Instant
}

const kinds: MemberKinds<DeliveringOptions> = {
  handlers: "own",
  destination: "function?",
  together: "number?",
  perDestination: "number?",
  slow: "number?",
  idle: "number?",
  policy: "object?",
  portTimeout: "number?",
  failed: "function?",
  died: "function?",
  now: "function?",
}

const refuse = (stores: { readonly tokens: Pick<TokenStorePort, "list" | "commit"> }, options: DeliveringOptions): void => {
  const faults = [...partFaults("stores", stores, { tokens: "object" }, "Stores"), ...memberFaults(options, kinds)]
  refuseFaults("startDelivering", faults)
  const { handlers, policy } = options
  refuseFaults(
    "startDelivering",
    partFaults("stores.tokens", stores.tokens, { list: "function", commit: "function" }, "TokenStorePort"),
    typeof handlers === "function" ? undefined : kindFault("handlers", handlers, "object"),
    policy && memberFaults(policy, deliveryPolicyKinds, "policy."),
  )
}

/** Counts of messages. */
export interface DeliveryLoad {
  /** Messages that were due at the last poll. Each kind counts at most 100. */
  readonly due: number
  /** Deliveries in progress. */
  readonly running: number
  /** Messages delivered since the start. */
  readonly delivered: number
  /** Attempts that failed since the start. */
  readonly failed: number
  /** Messages given up since the start. */
  readonly dead: number
}

/** Controls background deliveries. */
export interface Delivering {
  /** Polls immediately, such as after a commit that wrote a message. */
  readonly wake: () => void
  /** Polls immediately for messages just written. Resolves once each of them has had an attempt, or after the given time. */
  readonly attempted: (messages: ReadonlyArray<Pick<OutboxMessage, "locator">>, milliseconds: number) => Promise<void>
  /** Returns the current counts. */
  readonly load: () => DeliveryLoad
  /**
   * Claims no further messages, aborts the deliveries in progress and releases their claims. These messages are due immediately, and no
   * attempt is counted.
   */
  readonly stop: () => Promise<void>
}

/**
 * Delivers messages of the outbox while the process runs. Any number of processes may do so, because each message is claimed before it is
 * delivered. The claim of a process that died expires. A message is delivered at least once. A delivery that ends frees its place for the
 * next message at once. Destinations take turns, and so do the kinds of their messages. Each destination has only a few places, or one if
 * its last attempt failed. Its further messages wait without an attempt while these are taken. If a poll returns only messages to slow
 * destinations, they are deferred, so that the next poll finds others.
 */
export const startDelivering = (
  stores: { readonly tokens: Pick<TokenStorePort, "list" | "commit"> },
  options: DeliveringOptions,
): Delivering => {
  refuse(stores, options)
  const { tokens: store } = stores
  const {
    handlers,
    destination = ({ kind }) => kind,
    together = 8,
    perDestination = 2,
    slow = 1000,
    idle = 5000,
    policy = deliveryPolicy,
    portTimeout = defaultPortTimeout,
    failed,
    died,
  } = options
  const now = inSeconds("startDelivering", options.now ?? systemClock)
  const process = randomUUID()
  // A store that never answers must stop neither the polls nor the end of the process.
  const tokens: Pick<TokenStorePort, "list" | "commit"> = {
    list: async (kind, name, given) => inTime("list", portTimeout, store.list(kind, name, given)),
    commit: async (commands) => inTime("commit", portTimeout, store.commit(commands)),
  }
  const counts = { due: 0, delivered: 0, failed: 0, dead: 0 }
  const handlersNow = typeof handlers === "function" ? handlers : () => handlers
  const destinations = noDestinations({ together, perDestination, slow })
  /** Deliveries in progress with their destinations, by message. */
  const running = new Map<string, Underway & { readonly ended: Promise<void> }>()
  const stopping = new AbortController()
  /** Callbacks for the first attempt at a message, by message. */
  const waiting = new Map<string, () => void>()
  let claims = 0
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookAgain = false
  /** The earliest time at which messages may be deferred again, so that a long backlog does not overload the store. */
  let nextPuttingOff = 0
  const soon = Math.min(idle, 100)

  const attempt = async (message: OutboxMessage, handler: DeliveryHandler, to: string): Promise<Delivery> => {
    if (!hasAttemptLeft(message, policy)) return { _tag: "Failed", failure: message.lastFailure ?? "no attempt ended" }
    // The attempt is aborted well before the claim expires, whatever the handler does.
    const limit = bounded(policy.lease * 500, stopping.signal)
    try {
      const undelivered = await Promise.race([handler(message, limit.signal), limit.ended])
      // A destination that refuses a message is working and accepts others.
      destinations.ended(to, undelivered?._tag !== "Failed")
      return undelivered ?? { _tag: "Delivered" }
    } catch (error) {
      if (stopping.signal.aborted) return { _tag: "BrokenOff" }
      destinations.ended(to, false)
      return { _tag: "Failed", failure: messageOf(error) }
    } finally {
      limit.clear()
    }
  }

  const deliver = async (message: OutboxMessage, handler: DeliveryHandler, to: string): Promise<void> => {
    const claim = `${process}.${++claims}`
    if ((await tokens.commit([claimOf(message, claim, now(), policy)])) === "Conflict") return
    const delivery = await attempt(message, handler, to)
    const command = settled(message, claim, delivery, now(), Math.random(), policy)
    // A conflict means that the claim expired. The process that claimed the message next settles it.
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

  /** Starts a delivery and polls again when it ends. If the store fails, the next poll comes later. */
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
   * Starts as many deliveries as there are places. If places remain but a list was full, defers the messages that wait for slow
   * destinations, in one commit. The commit is a conflict if another process changed one of them first. Reports whether another poll is
   * needed soon.
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
  // Without a handler no message is written, so there is nothing to poll for.
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
