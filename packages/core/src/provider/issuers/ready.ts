import type { Awaitable, TimerPort } from "../../ports/index.ts"
import { isLater } from "../../ports/awaitable.ts"
import { type Asker, fairPlaces, plainPlaces } from "./places.ts"

/** A cache of values that are created on demand, with a limited number and lifetime. */
export interface Ready<A, From> {
  /**
   * Returns the value of a key, synchronously if it is cached; undefined if there is none. Rejects or throws if creating it fails, unless
   * there is an older value.
   */
  readonly of: (key: string, from?: From) => Awaitable<A | undefined>
  /** Removes a value, so that it is created again. */
  readonly forget: (key: string) => void
  /** Returns the number of cached values, and of those being created. */
  readonly load: () => { readonly ready: number; readonly making: number }
}

/** The limits of the cache. */
export interface ReadyBounds<From> {
  /** The maximum number of cached values; one that was not used recently is evicted first. */
  readonly most: number
  /**
   * The maximum number of values that are created concurrently, for keys that had one before and for keys that strangers may have made up.
   * Further ones are refused.
   */
  readonly together: { readonly known: number; readonly strange: number }
  /** Reports whether creating a value is asynchronous; a synchronous one takes no slot. */
  readonly waits: (key: string) => boolean
  /** Returns the sender on whose account a value is created, from the request that needs it, if any. */
  readonly askerOf: (key: string, from: From | undefined) => Asker
  /** Milliseconds for which a value is cached. */
  readonly keep: number
  /** Milliseconds for which the absence of a value is cached. */
  readonly keepNone: number
  /** The time limit of creating a value, in milliseconds. After that, it has failed and its slot is free. */
  readonly patience: number
  /** Starts the timer of that limit. */
  readonly timer: TimerPort
  /** Returns milliseconds since 1970. */
  readonly clock: () => number
}

/** Too many values are being created concurrently. */
export class TooManyMade extends Error {
  override readonly name = "TooManyMade"
}

/** The maximum number of keys that are remembered to have had a value; the oldest are dropped. */
const mostMet = 100_000

/** A value was not created within the time limit. */
export class MakingTimedOut extends Error {
  override readonly name = "MakingTimedOut"
}

const nothing = (): void => undefined

/** Runs an action once, however often it is called. */
const once = (act: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

/** A value that is being created. */
interface Making<A> {
  readonly value: PromiseLike<A | undefined>
  /** Releases its slot. */
  readonly leave: () => void
}

interface Entry<A> {
  readonly value: A | undefined
  /** The time it was created. If the clock is set back before it, the value is created again. */
  readonly from: number
  /** The time from which it is created again. */
  until: number
  /** True if it was used since it was last considered for eviction. */
  used: boolean
}

/** Creates a cache of the results of `make`. Concurrent requests for a value share one creation. */
export const ready = <A, From>(
  make: (key: string) => Awaitable<A | undefined>,
  { most, together, waits, askerOf, keep, keepNone, patience, timer, clock }: ReadyBounds<From>,
): Ready<A, From> => {
  const there = new Map<string, Entry<A>>()
  /** Keys without a value. Strangers can make up any number, so they are kept apart and never evict a value. */
  const none = new Map<string, Entry<A>>()
  const making = new Map<string, Making<A>>()
  /** Keys that had a value at the last creation, even if it has been evicted. */
  const met = new Set<string>()
  const places = { known: plainPlaces(together.known), strange: fairPlaces(together.strange) }

  /** Evicts the first entry that was not used since it was last passed over. Moving an entry at each request would cost more. */
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
    // The new entry cannot be evicted, because it was just requested.
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
  /** Rejects if a value is not created in time. */
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
        // A value that was removed meanwhile is returned, but not cached.
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
  /** Reports whether an entry expires; one that is kept forever needs no look at the clock. */
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
      // Its creation may never end: those who wait are answered when it does, or at the time limit.
      making.get(key)?.leave()
      making.delete(key)
    },
    load: () => ({ ready: there.size, making: making.size }),
  }
}
