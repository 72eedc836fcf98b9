import type { TimerPort } from "../ports/index.ts"

/** The timers of the platform: `setTimeout`, which every runtime has (HTML §8.7). */
export const webTimer: TimerPort = {
  start: (milliseconds, ring) => {
    const timer = setTimeout(ring, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The clock of the platform, in milliseconds since 1970: effect's would bring its durations into every bundle. */
export const webClock = (): number => Date.now()
