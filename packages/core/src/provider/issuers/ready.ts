import type { Awaitable } from "../../ports/index.ts"
import { isLater } from "../../ports/awaitable.ts"

/** Values by key that are made when they are first asked for: so many at most, each for a while. */
export interface Ready<A> {
  /** The value of a key: at once where it is there. Undefined where there is none. Rejects, or throws, as making it does, unless there is one from before. */
  readonly of: (key: string) => Awaitable<A | undefined>
  /** Forgets a value, so that it is made anew. */
  readonly forget: (key: string) => void
  /** Numbers of values that are there, and that are being made. */
  readonly load: () => { readonly ready: number; readonly making: number }
}

/** Bounds of values that are kept. */
export interface ReadyBounds {
  /** Number of values that are kept; one that was not asked for lately goes first. */
  readonly most: number
  /** Number of values that are made at once; a further one is refused. */
  readonly together: number
  /** Milliseconds for which a value is used before it is made anew. */
  readonly keep: number
  /** Milliseconds for which a key is known to have none. */
  readonly keepNone: number
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** More values are being made than may be at once. */
export class TooManyMade extends Error {
  override readonly name = "TooManyMade"
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
export const ready = <A>(
  make: (key: string) => Awaitable<A | undefined>,
  { most, together, keep, keepNone, clock }: ReadyBounds,
): Ready<A> => {
  const there = new Map<string, Entry<A>>()
  /** Keys that have no value: strangers can make up any number, so they never take the place of one. */
  const none = new Map<string, Entry<A>>()
  const making = new Map<string, PromiseLike<A | undefined>>()

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
    // The newcomer is not among those that may go: it was asked for just now.
    if (map.size >= bound) makeRoom(map)
    const from = clock()
    map.set(key, { value, from, until: from + lasting, used: false })
  }
  const begin = (key: string, before: Entry<A> | undefined): Awaitable<A | undefined> => {
    const begun = making.get(key)
    if (begun !== undefined) return begun
    if (making.size >= together) {
      if (before !== undefined) return before.value
      throw new TooManyMade(`${making.size} are being made`)
    }
    const made = make(key)
    if (!isLater(made)) {
      put(key, made)
      return made
    }
    const ended = Promise.resolve(made).then(
      (value) => {
        // Whatever was forgotten meanwhile is answered once, and not kept.
        if (making.get(key) === ended) {
          making.delete(key)
          put(key, value)
        }
        return value
      },
      (error: unknown) => {
        if (making.get(key) === ended) making.delete(key)
        if (before === undefined) throw error
        before.until = clock() + keepNone
        return before.value
      },
    )
    making.set(key, ended)
    return ended
  }
  /** Reports whether a value ends: one that is kept for ever needs no look at the clock. */
  const isTimed = ({ value }: Entry<A>): boolean => keep < Number.POSITIVE_INFINITY || value === undefined
  const isDue = ({ from, until }: Entry<A>): boolean => {
    const now = clock()
    return now >= until || now < from
  }
  return {
    of: (key) => {
      const known = there.get(key)
      const entry = known ?? none.get(key)
      if (entry === undefined || (isTimed(entry) && isDue(entry))) return begin(key, entry)
      entry.used = true
      return entry.value
    },
    forget: (key) => {
      there.delete(key)
      none.delete(key)
      making.delete(key)
    },
    load: () => ({ ready: there.size, making: making.size }),
  }
}
