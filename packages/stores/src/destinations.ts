import type { OutboxMessage } from "@postern/core/model"

/** A message that waits, with its destination. */
export interface Waiting {
  readonly message: OutboxMessage
  readonly to: string
}

/** A delivery under way. */
export interface Underway {
  readonly to: string
  /** Milliseconds, as `performance.now()` counts them. */
  readonly since: number
}

/** The bounds of deliveries at once. */
export interface Places {
  readonly together: number
  readonly perDestination: number
  /** Milliseconds after which a destination is slow. */
  readonly slow: number
}

/** The destinations that messages were delivered to: whose turn it is, and which are to wait. */
export interface Destinations {
  /** Takes the message out that gets the next place; undefined where none may have it. */
  readonly next: (waiting: Set<Waiting>, running: ReadonlyArray<Underway>) => Waiting | undefined
  /** Reports whether messages to a destination would wait for long: it fails, or all of its places have been taken for a while. */
  readonly isSlow: (to: string, running: ReadonlyArray<Underway>) => boolean
  /** Told how an attempt at a destination ended. */
  readonly ended: (to: string, isWell: boolean) => void
}

/** Destinations and kinds that are remembered: the ones served longest ago are forgotten first. */
const mostRemembered = 1000

/** Of so many turns a destination that fails may have one, so that it is tried again however much others have to do. */
const mostTurnsAway = 8

/**
 * Gives places in turn: to the destination with the fewest deliveries under way, and of these to the one served longest ago; of its messages to
 * the kind served longest ago. A destination whose last attempt failed has one place and comes after the others, and such destinations together have half of
 * the places, so that any number of hosts that hang leave room for one that answers.
 */
export const noDestinations = ({ together, perDestination, slow }: Places): Destinations => {
  const failing = new Set<string>()
  /** The numbers of the turns that destinations, and kinds at these, had last. */
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

/** Keeps a map or a set bounded: the member that was put in first goes. */
const forgetOldest = (remembered: Map<string, unknown> | Set<string>): void => {
  const [first] = remembered.keys()
  if (remembered.size > mostRemembered && first !== undefined) remembered.delete(first)
}
