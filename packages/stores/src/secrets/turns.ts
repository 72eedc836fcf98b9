import { addressKey } from "@postern/core/wire"
import { StoreUnavailable } from "../errors.ts"

/** The purpose of a hash. Each kind has its own places and queue, so that no kind can delay the others. */
export type HashKind =
  /** The secret of a client that authenticates. */
  | "client_secret"
  /** The password of a person who signs in at our page. */
  | "sign_in"
  /** The password of a person that a client sends. */
  | "password_grant"
  /** Secrets of the operator's configuration and commands. */
  | "operator"

/** The source of a request to hash a secret. */
export interface Asker {
  /** The kind of secret that is hashed. */
  readonly kind: HashKind
  /** The address that sent the request. Addresses take turns, however many requests each sends. */
  readonly address?: string | undefined
}

/** The number of running, waiting and refused hashes of one kind. */
export interface HashLoad {
  /** Hashes being computed. */
  readonly running: number
  /** Hashes waiting for their turn. */
  readonly waiting: number
  /** Hashes refused since the start, because too many waited or one waited too long. */
  readonly refused: number
}

/** The limits of tasks that take turns. */
export interface TurnLimits {
  /** The maximum number of running tasks of all kinds. */
  readonly places: number
  /** The maximum number of running tasks of one kind. */
  readonly placesOfKind: number
  /** The maximum number of waiting tasks of one kind. */
  readonly waiting: number
  /** The maximum waiting time of a task, in milliseconds. */
  readonly patience: number
}

/** Runs tasks in turn. */
export interface Turns {
  /** Runs a task when its turn comes. Fails with {@link StoreUnavailable} if too many wait or if it does not start in time. */
  readonly take: <A>(asker: Asker, task: () => Promise<A>) => Promise<A>
  /** Returns the load of a kind. */
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
  /** Waiting tasks by address. The address whose turn is next comes first. */
  readonly lanes: Map<string, Set<Waiting>>
}

const first = <A>(all: Iterable<A>): A | undefined => {
  for (const each of all) return each
  return undefined
}

const longest = (lanes: Queue["lanes"]): readonly [string, Set<Waiting>] =>
  [...lanes].reduce((most, each) => (each[1].size > most[1].size ? each : most), ["", new Set<Waiting>()] as const)

/**
 * Runs a limited number of tasks at once. A free place goes to the next waiting kind, and within it to the next address. A sender of a
 * thousand wrong secrets therefore delays others by at most one task. If too many tasks wait, the address with the most waiting tasks loses
 * its last one.
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
  /**
   * Reports whether another task may wait. If the queue is full, refuses the last task of the address with the most waiting tasks, provided
   * that this one would have fewer.
   */
  const makeRoom = (queue: Queue, lane: string): boolean => {
    if (queue.waiting < waitingMost) return true
    const [, waiters] = longest(queue.lanes)
    if (waiters.size <= (queue.lanes.get(lane)?.size ?? 0) + 1) return false
    ;[...waiters].at(-1)?.refuse()
    return true
  }
  /** Gives free places to the next tasks. */
  const deal = (): void => {
    if (free === 0) return
    for (const [kind, queue] of queues) {
      if (queue.waiting === 0 || queue.running >= placesOfKind) continue
      const [lane, waiters] = first(queue.lanes) ?? []
      const next = waiters && first(waiters)
      if (lane === undefined || next === undefined) continue
      // The kind and the address move to the end of their queues.
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
