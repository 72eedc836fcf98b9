import { after, type Awaitable, isLater } from "@postern/core/ports"

/** Milliseconds for which a result is used without checking again. */
const believed = 250

/**
 * Checks for changes by other processes when a caller depends on them, at most four times a second. Their changes therefore take effect
 * within a quarter of a second. Returns a promise while a check is in progress, otherwise undefined.
 */
export const noticing = (look: () => Awaitable<void>): (() => PromiseLike<void> | undefined) => {
  let until = 0
  let looking: PromiseLike<void> | undefined
  return () => {
    if (looking !== undefined) return looking
    const from = performance.now()
    if (from < until) return undefined
    const looked = look()
    if (!isLater(looked)) {
      until = from + believed
      return undefined
    }
    const done = (): void => void (looking = undefined)
    looking = looked.then(() => {
      until = from + believed
    })
    looking.then(done, done)
    return looking
  }
}

/** Cached reads of rows that have a change counter. */
export interface CountedReads {
  /** Checks for changes, as {@link noticing} does, and clears the cache if there are any. */
  readonly notice: () => PromiseLike<void> | undefined
  /** Reads, and passes the result to `keep` unless the cache was cleared meanwhile. */
  readonly read: <A>(ask: () => Awaitable<A>, keep: (found: A) => void) => Awaitable<A>
  /** Clears the cache. */
  readonly forget: () => void
}

/** Caches reads until the rows' revision changes, which is checked as {@link noticing} describes. `clear` drops what `keep` has stored. */
export const countedReads = (revision: () => Awaitable<number>, clear: () => void): CountedReads => {
  let seen: number | undefined
  let forgotten = 0
  const forget = (): void => {
    clear()
    forgotten++
  }
  return {
    notice: noticing(() =>
      after(revision(), (counted) => {
        if (counted !== seen) forget()
        seen = counted
      }),
    ),
    read: (ask, keep) => {
      const before = forgotten
      return after(ask(), (found) => {
        if (before === forgotten) keep(found)
        return found
      })
    },
    forget,
  }
}
