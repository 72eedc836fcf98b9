import type { TimerPort } from "../ports/index.ts"

/**
 * The default timer port, based on `setTimeout` (HTML §8.7). It fires one turn of the event loop late, so that after a suspension of the
 * process, an answer that arrived in time is processed first.
 */
export const webTimer: TimerPort = {
  start: (milliseconds, ring) => {
    let timer = setTimeout(() => {
      timer = setTimeout(ring)
    }, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The default clock port: the system clock in milliseconds since 1970. Effect's clock would add 2 KB of gzip to every bundle. */
export const webClock = (): number => Date.now()
