import type { TimerPort } from "../ports/index.ts"

/**
 * The timers of the platform: `setTimeout` (HTML §8.7). The default of a port. It rings a turn later than it is due: where the process was suspended meanwhile, an answer that came in time is taken first.
 */
export const webTimer: TimerPort = {
  start: (milliseconds, ring) => {
    let timer = setTimeout(() => {
      timer = setTimeout(ring)
    }, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The clock of the platform, in milliseconds since 1970; the default of a port. Effect's would bring 2 KB of gzip into every bundle. */
export const webClock = (): number => Date.now()
