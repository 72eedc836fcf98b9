import { addressKey } from "@postern/core/wire"
import { StoreUnavailable } from "../errors.ts"

/** Purposes of a hash. Each kind has places and a queue of its own, so that no one of them can keep the others waiting. */
export type HashKind =
  /** A client proves itself. */
  | "client_secret"
  /** A person signs in at our page. */
  | "sign_in"
  /** A client sends a person's password. */
  | "password_grant"
  /** The operator: what the configuration declares, a command. */
  | "operator"

/** For whom a secret is hashed. */
export interface Asker {
  /** The kind of secret that is hashed. */
  readonly kind: HashKind
  /** The address that the request came from: each gets its turn, however many requests another has sent. */
  readonly address?: string | undefined
}

/** Number of hashes of one kind that run and wait. */
export interface HashLoad {
  /** Hashes that are computed now. */
  readonly running: number
  /** Hashes that wait for a turn. */
  readonly waiting: number
  /** Refused since the start: too many waited, or one for too long. */
  readonly refused: number
}

/** Number of those who take turns. */
export interface TurnLimits {
  /** Tasks that run at once, of all kinds. */
  readonly places: number
  /** Tasks of one kind that run at once. */
  readonly placesOfKind: number
  /** Tasks of one kind that wait. */
  readonly waiting: number
  /** Milliseconds for which one waits at most. */
  readonly patience: number
}

/** Lets tasks run in turn. */
export interface Turns {
  /** Runs a task when its turn comes; fails with {@link StoreUnavailable} where too many wait, or it is not begun in time. */
  readonly take: <A>(asker: Asker, task: () => Promise<A>) => Promise<A>
  /** Tells how much is going on for a kind. */
  readonly load: (kind: HashKind) => HashLoad
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
}

interface Queue {
  running: number
  waiting: number
  refused: number
  /** Those who wait, by address; the address whose turn is next comes first. */
  readonly lanes: Map<string, Set<Waiting>>
}

const first = <A>(all: Iterable<A>): A | undefined => {
  for (const each of all) return each
  return undefined
}

const longest = (lanes: Queue["lanes"]): readonly [string, Set<Waiting>] =>
  [...lanes].reduce((most, each) => (each[1].size > most[1].size ? each : most), ["", new Set<Waiting>()] as const)

/**
 * Runs a bounded number of tasks at once. A place that comes free goes to the next kind that waits, and of that to the next address: so
 * whoever sends a thousand wrong secrets delays their own and nobody else's by more than one. Where too many wait, whoever has most waiting
 * gives way.
 */
export const fairTurns = ({ places, placesOfKind, waiting: waitingMost, patience }: TurnLimits): Turns => {
  const queues = new Map<HashKind, Queue>()
  let free = places

  const queueOf = (kind: HashKind): Queue => {
    const known = queues.get(kind)
    if (known !== undefined) return known
    const made: Queue = { running: 0, waiting: 0, refused: 0, lanes: new Map() }
    queues.set(kind, made)
    return made
  }
  const leave = (queue: Queue, lane: string, waiter: Waiting): void => {
    const waiters = queue.lanes.get(lane)
    if (waiters?.delete(waiter) !== true) return
    queue.waiting--
    if (waiters.size === 0) queue.lanes.delete(lane)
  }
  const overloaded = (queue: Queue): StoreUnavailable => {
    queue.refused++
    return new StoreUnavailable("hash a secret", "OVERLOADED")
  }
  const enqueue = (queue: Queue, lane: string): Promise<void> =>
    new Promise((begin, refuse) => {
      const settled = (settle: () => void) => (): void => {
        clearTimeout(timer)
        leave(queue, lane, waiter)
        settle()
      }
      const waiter: Waiting = { begin: settled(begin), refuse: settled(() => refuse(overloaded(queue))) }
      const timer = setTimeout(waiter.refuse, patience)
      queue.lanes.set(lane, (queue.lanes.get(lane) ?? new Set()).add(waiter))
      queue.waiting++
    })
  /** Reports whether there is room for one more to wait: made, if need be, by the last of an address that has more waiting than this one would. */
  const makeRoom = (queue: Queue, lane: string): boolean => {
    if (queue.waiting < waitingMost) return true
    const [, waiters] = longest(queue.lanes)
    if (waiters.size <= (queue.lanes.get(lane)?.size ?? 0) + 1) return false
    ;[...waiters].at(-1)?.refuse()
    return true
  }
  /** Gives a free place to whoever is next. */
  const deal = (): void => {
    if (free === 0) return
    for (const [kind, queue] of queues) {
      if (queue.waiting === 0 || queue.running >= placesOfKind) continue
      const [lane, waiters] = first(queue.lanes) ?? []
      const next = waiters && first(waiters)
      if (lane === undefined || next === undefined) continue
      // The kind and the address go to the end of their rows.
      queues.delete(kind)
      queues.set(kind, queue)
      occupy(queue)
      next.begin()
      const left = queue.lanes.get(lane)
      if (left !== undefined && queue.lanes.delete(lane)) queue.lanes.set(lane, left)
      return deal()
    }
  }
  const occupy = (queue: Queue): void => {
    free--
    queue.running++
  }

  return {
    take: async ({ kind, address }, task) => {
      const queue = queueOf(kind)
      if (free > 0 && queue.running < placesOfKind) occupy(queue)
      else {
        const lane = address === undefined ? "" : addressKey(address)
        if (!makeRoom(queue, lane)) throw overloaded(queue)
        await enqueue(queue, lane)
      }
      try {
        return await task()
      } finally {
        free++
        queue.running--
        deal()
      }
    },
    load: (kind) => {
      const { running, waiting, refused } = queueOf(kind)
      return { running, waiting, refused }
    },
  }
}
