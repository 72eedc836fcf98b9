import type { TimerPort } from "../ports/index.ts"

/** The timers of the platform: `setTimeout`, which every runtime has (HTML §8.7). */
export const webTimer: TimerPort = {
  start: (milliseconds, ring) => {
    const timer = setTimeout(ring, milliseconds)
    return () => clearTimeout(timer)
  },
}
