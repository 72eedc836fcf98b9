import type { Awaitable, TimerPort } from "../../ports/index.ts"
import { isLater } from "../../ports/awaitable.ts"
import { type Asker, fairPlaces, plainPlaces } from "./places.ts"

/** Values by key that are made when they are first asked for: so many at most, each for a while. */
export interface Ready<A, From> {
  /** The value of a key: at once where it is there. Undefined where there is none. Rejects, or throws, as making it does, unless there is one from before. */
  readonly of: (key: string, from?: From) => Awaitable<A | undefined>
  /** Forgets a value, so that it is made anew. */
  readonly forget: (key: string) => void
  /** Numbers of values that are there, and that are being made. */
  readonly load: () => { readonly ready: number; readonly making: number }
}

/** Bounds of values that are kept. */
export interface ReadyBounds<From> {
  /** Number of values that are kept; one that was not asked for lately goes first. */
  readonly most: number
  /** Number of values that are made at once of keys that had one before, and of those that strangers may have made up; a further one is refused. */
  readonly together: { readonly known: number; readonly strange: number }
  /** Reports whether making a value waits for something: one that is made at once takes no place. */
  readonly waits: (key: string) => boolean
  /** Tells on whose account a value is made: whatever asked for it, if it was a request. */
  readonly askerOf: (key: string, from: From | undefined) => Asker
  /** Milliseconds for which a value is used before it is made anew. */
  readonly keep: number
  /** Milliseconds for which a key is known to have none. */
  readonly keepNone: number
  /** Milliseconds that making a value may take; then it has failed, and its place is free. */
  readonly patience: number
  /** Ends what takes longer. */
  readonly timer: TimerPort
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** More values are being made than may be at once. */
export class TooManyMade extends Error {
  override readonly name = "TooManyMade"
}

/** Keys that are known to have had a value; of more, the longest known go. */
const mostMet = 100_000

/** A value was not made in time. */
export class MakingTimedOut extends Error {
  override readonly name = "MakingTimedOut"
}

const nothing = (): void => undefined

/** Does something once, however often it is called. */
const once = (act: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

/** A value that is being made. */
interface Making<A> {
  readonly value: PromiseLike<A | undefined>
  /** Gives its place back. */
  readonly leave: () => void
}

interface Entry<A> {
  readonly value: A | undefined
  /** The time it was made: a clock that is put back makes it anew. */
  readonly from: number
  /** The time from which it is made anew. */
  until: number
  /** True if it was asked for since it was last looked at for its place. */
  used: boolean
}

/** Keeps what `make` answers. All who ask for a value that is being made wait for the same one. */
export const ready = <A, From>(
  make: (key: string) => Awaitable<A | undefined>,
  { most, together, waits, askerOf, keep, keepNone, patience, timer, clock }: ReadyBounds<From>,
): Ready<A, From> => {
  const there = new Map<string, Entry<A>>()
  /** Keys that have no value: strangers can make up any number, so they never take the place of one. */
  const none = new Map<string, Entry<A>>()
  const making = new Map<string, Making<A>>()
  /** Keys that had a value when it was last made, also where another one has its place now. */
  const met = new Set<string>()
  const places = { known: plainPlaces(together.known), strange: fairPlaces(together.strange) }

  /** Gives the place of the first that was not asked for since it was last passed by; moving one at each request would cost more. */
  const makeRoom = (map: Map<string, Entry<A>>): void => {
    for (const [key, entry] of map) {
      map.delete(key)
      if (!entry.used) return
      entry.used = false
      map.set(key, entry)
    }
  }
  const put = (key: string, value: A | undefined): void => {
    const [map, other, bound, lasting] = value === undefined ? [none, there, most, keepNone] : [there, none, most, keep]
    other.delete(key)
    map.delete(key)
    met.delete(key)
    if (value !== undefined) met.add(key)
    if (met.size > mostMet) for (const first of met) if (met.delete(first)) break
    // The newcomer is not among those that may go: it was asked for just now.
    if (map.size >= bound) makeRoom(map)
    const from = clock()
    map.set(key, { value, from, until: from + lasting, used: false })
  }
  const begunMaking = (key: string, leave: () => void): Awaitable<A | undefined> => {
    try {
      return make(key)
    } catch (error) {
      leave()
      throw error
    }
  }
  /** Ends a value that does not come in time. */
  const inTime = (made: PromiseLike<A | undefined>): Promise<A | undefined> =>
    new Promise((resolve, reject) => {
      const stop = timer.start(patience, () => reject(new MakingTimedOut(`it was not made within ${patience} ms`)))
      void made.then(
        (value) => {
          stop()
          resolve(value)
        },
        (error: unknown) => {
          stop()
          reject(error)
        },
      )
    })
  const begin = (key: string, before: Entry<A> | undefined, from: From | undefined): Awaitable<A | undefined> => {
    const begun = making.get(key)
    if (begun !== undefined) return begun.value
    const taken = waits(key) ? places[met.has(key) ? "known" : "strange"].take(askerOf(key, from)) : nothing
    if (taken === undefined) {
      if (before?.value !== undefined) return before.value
      throw new TooManyMade(`${making.size} are being made`)
    }
    const leave = once(taken)
    const made = begunMaking(key, leave)
    if (!isLater(made)) {
      leave()
      put(key, made)
      return made
    }
    const ended = inTime(made).then(
      (value) => {
        leave()
        // Whatever was forgotten meanwhile is answered once, and not kept.
        if (making.get(key) === current) {
          making.delete(key)
          put(key, value)
        }
        return value
      },
      (error: unknown) => {
        leave()
        if (making.get(key) === current) making.delete(key)
        if (before?.value === undefined) throw error
        before.until = clock() + keepNone
        return before.value
      },
    )
    const current = { value: ended, leave }
    making.set(key, current)
    return ended
  }
  /** Reports whether a value ends: one that is kept for ever needs no look at the clock. */
  const isTimed = ({ value }: Entry<A>): boolean => keep < Number.POSITIVE_INFINITY || value === undefined
  const isDue = ({ from, until }: Entry<A>): boolean => {
    const now = clock()
    return now >= until || now < from
  }
  return {
    of: (key, from) => {
      const known = there.get(key)
      const entry = known ?? none.get(key)
      if (entry === undefined || (isTimed(entry) && isDue(entry))) return begin(key, entry, from)
      entry.used = true
      return entry.value
    },
    forget: (key) => {
      there.delete(key)
      none.delete(key)
      // Making it may never end: whoever waits is answered when it does, or when its time is over.
      making.get(key)?.leave()
      making.delete(key)
    },
    load: () => ({ ready: there.size, making: making.size }),
  }
}
