import type { Stores } from "./stores.ts"

/** How sweeping goes on in the background. */
export interface SweepingOptions {
  /** Milliseconds between looks when there is nothing to do; 15 seconds when not given. */
  readonly idle?: number
  /** Milliseconds between slices while there is; 10 when not given. */
  readonly busy?: number
  /** Told when a slice failed; it is tried again after `idle`. */
  readonly failed?: (error: unknown) => void
}

/** Sweeps in small slices for as long as the process serves; the answer stops it. It keeps no process alive. */
export const startSweeping = (
  { sweep }: Pick<Stores, "sweep">,
  { idle = 15_000, busy = 10, failed }: SweepingOptions = {},
): (() => void) => {
  let timer: NodeJS.Timeout
  let stopped = false
  const again = (pause: number): void => {
    if (!stopped) timer = setTimeout(() => void slice(), pause).unref()
  }
  const slice = async (): Promise<void> => {
    try {
      again((await sweep()).more ? busy : idle)
    } catch (error) {
      failed?.(error)
      again(idle)
    }
  }
  again(busy)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
