import type { OutboxMessage } from "@postern/core/model"

/** A waiting message with its destination. */
export interface Waiting {
  readonly message: OutboxMessage
  readonly to: string
}

/** A delivery in progress. */
export interface Underway {
  readonly to: string
  /** The start, in milliseconds of `performance.now()`. */
  readonly since: number
}

/** The limits of concurrent deliveries. */
export interface Places {
  readonly together: number
  readonly perDestination: number
  /** Milliseconds after which a destination is slow. */
  readonly slow: number
}

/** The state of destinations: which comes next and which are slow. */
export interface Destinations {
  /** Removes and returns the message that gets the next place. Returns undefined if none may have one. */
  readonly next: (waiting: Set<Waiting>, running: ReadonlyArray<Underway>) => Waiting | undefined
  /**
   * Reports whether messages to a destination would wait long, because its last attempt failed or all its places have been taken for a
   * while.
   */
  readonly isSlow: (to: string, running: ReadonlyArray<Underway>) => boolean
  /** Records the result of an attempt at a destination. */
  readonly ended: (to: string, isWell: boolean) => void
}

/** The maximum number of remembered destinations and kinds. The least recently served are forgotten first. */
const mostRemembered = 1000

/** The number of turns of which one may go to a failing destination, so that it is retried even under load. */
const mostTurnsAway = 8

/**
 * Gives the next place to the destination with the fewest deliveries in progress, or the least recently served of these, and to its least
 * recently served kind of message. A destination whose last attempt failed has one place and comes after the others. Together such
 * destinations have half of the places, so that unresponsive hosts leave room for others, however many they are.
 */
export const noDestinations = ({ together, perDestination, slow }: Places): Destinations => {
  const failing = new Set<string>()
  /** The number of the last turn of each destination and of each of its kinds. */
  const turns = new Map<string, number>()
  let turn = 0
  const lane = ({ message, to }: Waiting): string => JSON.stringify([to, message.kind])
  const serve = (served: string): void => {
    turns.delete(served)
    turns.set(served, turn)
    forgetOldest(turns)
  }
  const hasRoom = (to: string, running: ReadonlyArray<Underway>): boolean => {
    const under = running.filter((each) => each.to === to).length
    if (!failing.has(to)) return under < perDestination
    return under === 0 && running.filter((each) => failing.has(each.to)).length < Math.ceil(together / 2)
  }
  const rank = (one: Waiting, running: ReadonlyArray<Underway>): ReadonlyArray<number> => [
    failing.has(one.to) && turn % mostTurnsAway !== 0 ? 1 : 0,
    running.filter(({ to }) => to === one.to).length,
    turns.get(one.to) ?? 0,
    turns.get(lane(one)) ?? 0,
    one.message.dueAt,
  ]
  return {
    next: (waiting, running) => {
      if (running.length >= together) return undefined
      let [best, least]: [Waiting | undefined, ReadonlyArray<number>] = [undefined, []]
      for (const one of waiting) {
        if (!hasRoom(one.to, running)) continue
        const ranked = rank(one, running)
        if (best === undefined || isBefore(ranked, least)) [best, least] = [one, ranked]
      }
      if (best === undefined) return undefined
      waiting.delete(best)
      turn++
      serve(best.to)
      serve(lane(best))
      return best
    },
    isSlow: (to, running) => {
      if (failing.has(to)) return true
      const under = running.filter((each) => each.to === to)
      return under.length >= perDestination && under.every(({ since }) => performance.now() - since >= slow)
    },
    ended: (to, isWell) => {
      failing.delete(to)
      if (!isWell) failing.add(to)
      forgetOldest(failing)
    },
  }
}

const isBefore = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): boolean => {
  const at = left.findIndex((each, index) => each !== right[index])
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0)
}

/** Removes the oldest member of a map or set that is too large. */
const forgetOldest = (remembered: Map<string, unknown> | Set<string>): void => {
  const [first] = remembered.keys()
  if (remembered.size > mostRemembered && first !== undefined) remembered.delete(first)
}
