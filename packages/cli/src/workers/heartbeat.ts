import type { Reading } from "@postern/adapter-http"
import { deadline } from "@postern/stores"

/** Milliseconds from an answer to the next beat, and milliseconds within which a beat is to be answered. */
export const heartbeat = { every: 2_000, limit: 10_000 }

/** Options of a watch; for tests. */
export interface WatchOptions {
  readonly every?: number
  readonly limit?: number
  readonly now?: () => number
}

/**
 * Asks a process again and again if its event loop runs, one beat at a time; a beat that fails says nothing of it, and the next one is asked for.
 * Calls `hung` once when a beat has not been answered in time. Returns the end of the watch, for when the process is to end or has ended.
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

/** The metrics of the workers of a server. */
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
