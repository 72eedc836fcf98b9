import type { Stores } from "./stores.ts"

/** Options of sweeping in the background. */
export interface SweepingOptions {
  /** Milliseconds until the first look; `busy` when not given. */
  readonly begin?: number
  /** Milliseconds between looks when there is nothing to do; 15 seconds when not given. */
  readonly idle?: number
  /** Milliseconds between slices while there is; 50 when not given: what a slice writes keeps others' commits waiting for the disk. */
  readonly busy?: number
  /** Milliseconds between slices once there was something to do for so many slices on end; 10, after 2000, when not given. */
  readonly behind?: {
    /** The slices in a row after which it hurries. */ readonly after: number
    /** Milliseconds between slices from then on. */ readonly pause: number
  }
  /** Told when a slice failed; it is tried again after `idle`. */
  readonly failed?: (error: unknown) => void
}

/** Sweeps in small slices for as long as the process serves; the answer stops it. It keeps no process alive. */
export const startSweeping = (
  { sweep }: Pick<Stores, "sweep">,
  { idle = 15_000, busy = 50, begin = busy, behind = { after: 2000, pause: 10 }, failed }: SweepingOptions = {},
): (() => void) => {
  let timer: NodeJS.Timeout
  let stopped = false
  let onEnd = 0
  const again = (pause: number): void => {
    if (!stopped) timer = setTimeout(() => void slice(), pause).unref()
  }
  const slice = async (): Promise<void> => {
    try {
      const { more } = await sweep()
      onEnd = more ? onEnd + 1 : 0
      again(more ? (onEnd > behind.after ? behind.pause : busy) : idle)
    } catch (error) {
      failed?.(error)
      again(idle)
    }
  }
  again(begin)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
