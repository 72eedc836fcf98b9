import { type KeyCare, careFaults, tendKeys } from "../jose/rotation.ts"
import type { SigningKey, SigningKeyStore } from "../jose/signingKey.ts"
import { type Instant, type OutboxMessage, messageOf, outbox } from "../model/index.ts"
import { type MemberKinds, kindFault, memberFaults, partFaults, refuseFaults } from "../model/members.ts"
import { type Awaitable, type TokenStorePort, defaultPortTimeout, whenRunWithin } from "../ports/index.ts"
import { inSeconds } from "../ports/inSeconds.ts"
import { plainOf } from "../ports/lifted.ts"
import {
  type Delivery,
  type DeliveryHandler,
  type DeliveryPolicy,
  claimOf,
  deliveryPolicy,
  hasAttemptLeft,
  settled,
} from "../settle/outbox.ts"
import { deliveryPolicyKinds } from "../settle/deliveryPolicyKinds.ts"
import { webTimer } from "../platform/timer.ts"
import { webEntropy } from "../platform/webcrypto.ts"
import { encodeBase64Url } from "../wire/index.ts"

/** The parts of a provider that need maintenance. */
export interface Maintaining {
  /** The store of its rows. */
  readonly tokens: Pick<TokenStorePort, "list" | "commit">
  /** Sweeps one slice of expired rows, such as `sweep` of the stores; nothing is swept by default. */
  readonly sweep?: ((now: Instant) => Awaitable<{ readonly more: boolean }>) | undefined
  /** The handler of each kind of message, such as `deliveriesOf(…)`; nothing is delivered by default. */
  readonly handlers?: Readonly<Record<string, DeliveryHandler>> | undefined
  /** The signing keys, or those of each of several issuers; no keys are created or removed by default. */
  readonly keys?: KeyCare | Iterable<KeyCare> | undefined
  /** Returns the time in whole seconds. */
  readonly now: () => Instant
  /** The maximum number of slices that one call sweeps; 20 by default. */
  readonly slices?: number | undefined
  /** The maximum number of messages that one call tries to deliver, eight concurrently; 40 by default. */
  readonly messages?: number | undefined
  /** The time limit of each call of a store and of each slice, in milliseconds; 20,000 by default. */
  readonly portTimeout?: number | undefined
  /** The leases, pauses and limits of deliveries. */
  readonly policy?: DeliveryPolicy | undefined
}

const kinds: MemberKinds<Maintaining> = {
  tokens: "object",
  sweep: "function?",
  handlers: "object?",
  keys: "own?",
  now: "function",
  slices: "number?",
  messages: "number?",
  portTimeout: "number?",
  policy: "object?",
}

const tokensKinds: MemberKinds<Maintaining["tokens"]> = { list: "function", commit: "function" }

/** A failed part of the work; the others were done. */
export interface MaintenanceFault {
  /** The part. */
  readonly part: "keys" | "delivery" | "sweep"
  /** The error. */
  readonly cause: unknown
}

/** The work that one call did. */
export interface Maintained {
  /** The ids of the created keys, also if expired ones could not be removed. */
  readonly keys: ReadonlyArray<string>
  /** Number of messages delivered. */
  readonly delivered: number
  /** Number of attempts that failed. */
  readonly failed: number
  /** Number of messages whose delivery was given up. */
  readonly dead: number
  /** Number of slices swept, also before one that failed. */
  readonly slices: number
  /** True if there is more to do now, so that the caller should call again soon. */
  readonly more: boolean
  /** The failed parts, with one entry of `delivery` for each message whose rows could not be written. A later call tries them again. */
  readonly faults: ReadonlyArray<MaintenanceFault>
}

const together = 8

/**
 * Does the background work of a server once, within limits: creates keys that are due and removes expired ones, delivers messages, and
 * sweeps expired rows. It is for runtimes without timers of their own: call it from a scheduled event, about every minute. Any number may
 * run concurrently. Rejects only with a `TypeError` that lists the faults of its options, and ends even if a store never answers.
 */
export const maintain = async (asked: Maintaining): Promise<Maintained> => {
  refuseFaults("maintain", kindFault("options", asked, "object") && memberFaults(asked, kinds))
  refuseFaults("maintain", memberFaults(asked, kinds), Array.isArray(asked.keys) ? undefined : kindFault("keys", asked.keys, "object?"))
  const given = bounded(asked)
  const faults: Array<MaintenanceFault> = []
  const attempted = async <A>(part: MaintenanceFault["part"], otherwise: A, run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      faults.push({ part, cause })
      return otherwise
    }
  }
  const { keys: cares = [] } = given
  const keys: Array<string> = []
  const keysAdded = (made: ReadonlyArray<SigningKey>, { added }: KeyCare): void => {
    keys.push(...made.map(({ kid }) => kid))
    added?.(made)
  }
  // They run one after the other, so that many issuers do not query their store at once.
  for (const care of Symbol.iterator in cares ? cares : [cares])
    await attempted("keys", [], () => tendKeys({ ...care, added: (made) => keysAdded(made, care) }))
  const counts = { delivered: 0, failed: 0, dead: 0 }
  const undelivered = await attempted("delivery", false, () => deliverDue(given, counts, faults))
  const swept = { slices: 0, more: false }
  await attempted("sweep", undefined, () => sweepSome(given, swept))
  return { keys, ...counts, slices: swept.slices, more: undelivered || swept.more, faults }
}

/** Bounds each call of the stores, and checks the unit of the clock. */
const bounded = ({ keys = [], tokens, sweep, now, portTimeout = defaultPortTimeout, ...rest }: Maintaining): Maintaining => {
  const lift = whenRunWithin({ timer: webTimer, milliseconds: portTimeout })
  const storeOf = (store: SigningKeyStore): SigningKeyStore =>
    plainOf({
      list: lift("SigningKeyStore", "list", () => store.list()),
      add: lift("SigningKeyStore", "add", (...added: Parameters<typeof store.add>) => store.add(...added)),
      remove: lift("SigningKeyStore", "remove", (kids: ReadonlyArray<string>) => store.remove(kids)),
    })
  const isList = Symbol.iterator in keys
  const cares = isList ? [...keys] : [keys]
  refuseFaults(
    "maintain",
    partFaults("tokens", tokens, tokensKinds, "TokenStorePort"),
    rest.policy && memberFaults(rest.policy, deliveryPolicyKinds, "policy."),
    cares.flatMap((care, at) => careFaults(care, isList ? `keys[${at}].` : "keys.")),
  )
  return {
    ...rest,
    now: inSeconds("maintain", now),
    keys: cares.map((care) => ({ ...care, store: storeOf(care.store) })),
    tokens: plainOf({
      list: lift("TokenStore", "list", (...found: Parameters<typeof tokens.list>) => tokens.list(...found)),
      commit: lift("TokenStore", "commit", (commands: Parameters<typeof tokens.commit>[0]) => tokens.commit(commands)),
    }),
    sweep: sweep && plainOf<{ readonly sweep: NonNullable<Maintaining["sweep"]> }>({ sweep: lift("Stores", "sweep", sweep) }).sweep,
  }
}

/** Sweeps slices until nothing is left or one fails. Each is counted when it ends, so that a later fault does not hide it. */
const sweepSome = async ({ sweep, now, slices = 20 }: Maintaining, swept: { slices: number; more: boolean }): Promise<void> => {
  let isLeft = true
  while (sweep !== undefined && isLeft && swept.slices < slices) {
    isLeft = swept.more = (await sweep(now())).more
    swept.slices++
  }
}

type Counts = { -readonly [Name in "delivered" | "failed" | "dead"]: number }

/**
 * Delivers due messages, each at most once, and reports whether there are more. A fault of one does not prevent the delivery or the
 * counting of others.
 */
const deliverDue = async (given: Maintaining, counts: Counts, faults: Array<MaintenanceFault>): Promise<boolean> => {
  const { tokens, handlers = {}, messages = 40, now } = given
  const kinds = Object.keys(handlers)
  const lists = await Promise.all(kinds.map(async (kind) => tokens.list(outbox, "dueOfKind", { kind, now: now() })))
  // Kinds take turns, so that one with many messages does not delay the others.
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const due = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
  const taken = due.slice(0, messages)
  let left = due.length > messages
  const one = async (message: OutboxMessage): Promise<void> => {
    let isTaken = false
    try {
      const claim = await claimed(message, given)
      isTaken = true
      if (claim !== undefined) await deliver(message, claim, given, counts)
    } catch (cause) {
      faults.push({ part: "delivery", cause })
      // A message whose claim was not stored is still due; a claimed one is due again when its claim expires.
      left ||= !isTaken
    }
  }
  while (taken.length > 0) await Promise.all(taken.splice(0, together).map(one))
  return left
}

/** Claims a message; undefined if another process was first. */
const claimed = async (message: OutboxMessage, { tokens, now, policy = deliveryPolicy }: Maintaining): Promise<string | undefined> => {
  const claim = encodeBase64Url(webEntropy().bytes(16))
  return (await tokens.commit([claimOf(message, claim, now(), policy)])) === "Conflict" ? undefined : claim
}

const deliver = async (message: OutboxMessage, claim: string, given: Maintaining, counts: Counts): Promise<void> => {
  const { tokens, handlers = {}, now, policy = deliveryPolicy } = given
  const handler = handlers[message.kind]
  if (handler === undefined) return
  const delivery = await attempt(message, handler, policy)
  const [chance = 0] = webEntropy().bytes(1)
  const command = settled(message, claim, delivery, now(), chance / 256, policy)
  // A conflict means that the claim has expired: the process that took it over settles the message.
  if ((await tokens.commit([command])) === "Conflict") return
  if (delivery._tag === "Delivered") counts.delivered++
  else counts.failed++
  if (command.event === "BuryMessage") counts.dead++
}

/** Tries to deliver a message, and ends well before the claim expires, whatever the handler does. */
const attempt = async (message: OutboxMessage, handler: DeliveryHandler, policy: DeliveryPolicy): Promise<Delivery> => {
  if (!hasAttemptLeft(message, policy)) return { _tag: "Failed", failure: message.lastFailure ?? "no attempt ended" }
  const limit = new AbortController()
  const late = new Promise<never>((_, reject) => limit.signal.addEventListener("abort", () => reject(limit.signal.reason)))
  const stop = webTimer.start(policy.lease * 500, () => limit.abort(new Error(`not delivered within ${policy.lease / 2} seconds`)))
  try {
    return (await Promise.race([handler(message, limit.signal), late])) ?? { _tag: "Delivered" }
  } catch (error) {
    return { _tag: "Failed", failure: messageOf(error) }
  } finally {
    stop()
  }
}
