import type { Reading } from "@postern/adapter-http"
import { deadline } from "@postern/stores"

/** The pause after a heartbeat and the timeout of one, in milliseconds. */
export const heartbeat = { every: 2_000, limit: 10_000 }

/** Options of the heartbeat, for tests. */
export interface WatchOptions {
  readonly every?: number
  readonly limit?: number
  readonly now?: () => number
}

/**
 * Checks repeatedly whether the event loop of a process is running, with one heartbeat at a time. A rejected heartbeat counts as answered.
 * Calls `hung` once if a heartbeat times out. Returns a function that stops the checks.
 */
export const watchOver = (
  beat: () => Promise<unknown>,
  hung: () => void,
  { every = heartbeat.every, limit = heartbeat.limit, now }: WatchOptions = {},
): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let answered = (): void => undefined
  let ended = false
  const end = (): void => {
    ended = true
    answered()
    clearTimeout(timer)
  }
  const ask = (): void => {
    const late = (): void => {
      end()
      hung()
    }
    answered = deadline(limit, late, now)
    const again = (): void => {
      if (ended) return
      answered()
      timer = setTimeout(ask, every).unref()
    }
    beat().then(again, again)
  }
  timer = setTimeout(ask, every).unref()
  return end
}

/** Returns the metrics of a server's workers. */
export const workerReadings = (
  counts: { readonly ended: number; readonly hung: number },
  serving: () => number,
): ReadonlyArray<Reading> => [
  { name: "postern_workers_serving", description: "Workers that answer", read: serving },
  { name: "postern_workers_ended", description: "Workers that ended unasked, since the start", counts: true, read: () => counts.ended },
  {
    name: "postern_workers_hung",
    description: "Workers that were ended because they hung, since the start",
    counts: true,
    read: () => counts.hung,
  },
]
