import { after, type Awaitable, isLater } from "@postern/core/ports"

/** Milliseconds for which what was read is believed without asking again. */
const believed = 250

/**
 * Looks at what other processes may have changed four times a second at most, when something is needed that depends on it: so their change
 * counts a quarter of a second later at the latest. Answers with a promise while a look is under way, else with undefined.
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

/** Reads of rows whose changes are counted, of which some are remembered. */
export interface CountedReads {
  /** Looks for changes, as {@link noticing} does, and forgets what is remembered where there are any. */
  readonly notice: () => PromiseLike<void> | undefined
  /** Reads, and gives what was found to `keep`, unless everything was forgotten since it was asked for. */
  readonly read: <A>(ask: () => Awaitable<A>, keep: (found: A) => void) => Awaitable<A>
  /** Forgets what is remembered. */
  readonly forget: () => void
}

/** Remembers reads until the rows' revision is another, which is asked for as {@link noticing} says; `clear` drops what `keep` has kept. */
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
