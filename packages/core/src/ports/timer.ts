/** Starts timers. Core starts none by itself: each default port that needs one receives this. */
export interface TimerPort {
  /** Calls `ring` once after `milliseconds`, unless the returned function was called before. */
  readonly start: (milliseconds: number, ring: () => void) => () => void
}
