/** Milliseconds by which a timer of a process that runs may be late. */
const lateness = 1_000

/**
 * Calls `expired` after so many milliseconds, with what has arrived until then taken note of before. Where the timer itself is more than a second late
 * this process did not run, and whoever it waits for may not have either: then it waits again. Returns how to end it.
 */
export const deadline = (milliseconds: number, expired: () => void, now: () => number = () => performance.now()): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const wait = (): void => {
    const due = now() + milliseconds
    const judge = (): void => {
      if (ended) return
      if (now() - due > lateness) return wait()
      ended = true
      expired()
    }
    timer = setTimeout(() => setImmediate(judge), milliseconds).unref()
  }
  wait()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
