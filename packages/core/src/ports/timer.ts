/** Starts timers. Core starts none by itself: each default port that needs one is given this. */
export interface TimerPort {
  /** Calls `ring` once after so many milliseconds, unless the function that is returned was called before. */
  readonly start: (milliseconds: number, ring: () => void) => () => void
}
