import { type Awaitable, isLater } from "@postern/core/ports"

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
