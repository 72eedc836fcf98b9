import { StoreUnavailable } from "./errors.ts"

const overloaded = (): StoreUnavailable => new StoreUnavailable("hash a secret", "OVERLOADED")

/** Runs so many tasks at once, in the order they came; so many wait, and none for longer than that. */
export const turns = (running: number, waitingMost: number, patience: number): (<A>(task: () => Promise<A>) => Promise<A>) => {
  const waiting = new Set<() => void>()
  let free = running
  const queued = (): Promise<void> =>
    new Promise((begin, refuse) => {
      const next = (): void => {
        waiting.delete(next)
        clearTimeout(timer)
        begin()
      }
      const timer = setTimeout(() => {
        waiting.delete(next)
        refuse(overloaded())
      }, patience)
      waiting.add(next)
    })
  return async (task) => {
    if (free > 0) free--
    else if (waiting.size >= waitingMost) throw overloaded()
    else await queued()
    try {
      return await task()
    } finally {
      const [next] = waiting
      if (next === undefined) free++
      else next()
    }
  }
}
