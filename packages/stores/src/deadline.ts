/** Milliseconds by which the timer of a running process may be late. */
const lateness = 1_000

/**
 * Calls `expired` after the given number of milliseconds, once input that arrived until then has been handled. If the timer itself is more
 * than a second late, this process was suspended, and its peer may have been too, so the full time is waited again. Returns a function that
 * cancels the deadline.
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
