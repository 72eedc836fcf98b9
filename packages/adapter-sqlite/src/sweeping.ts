import type { SqliteStores } from "./stores.ts"

/** How sweeping goes on in the background. */
export interface SweepingOptions {
  /** Milliseconds between looks when there is nothing to do; 15 seconds when not given. */
  readonly idle?: number
  /** Milliseconds between slices while there is; 20 when not given. */
  readonly busy?: number
  /** Told when a slice failed; it is tried again after `idle`. */
  readonly failed?: (error: unknown) => void
}

/** Sweeps in small slices for as long as the process serves; the answer stops it. It keeps no process alive. */
export const startSweeping = (
  { sweep }: Pick<SqliteStores, "sweep">,
  { idle = 15_000, busy = 20, failed }: SweepingOptions = {},
): (() => void) => {
  let timer: NodeJS.Timeout
  const slice = (): void => {
    let pause = idle
    try {
      if (sweep().more) pause = busy
    } catch (error) {
      failed?.(error)
    }
    timer = setTimeout(slice, pause).unref()
  }
  timer = setTimeout(slice, busy).unref()
  return () => clearTimeout(timer)
}
