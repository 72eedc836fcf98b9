import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import type { Awaitable } from "@postern/core/ports"
import type { Stores } from "./stores.ts"

/** Options for sweeping in the background. */
export interface SweepingOptions {
  /** Milliseconds until the first slice. Default: `busy`. */
  readonly begin?: number
  /** Milliseconds between slices if nothing is left to sweep. Default: 15 seconds. */
  readonly idle?: number
  /** Milliseconds between slices while there is more to sweep. Default: 50, because a slice's writes delay other commits. */
  readonly busy?: number
  /** Milliseconds between slices after many consecutive slices with more to sweep. Default: 10 after 2000 slices. */
  readonly behind?: {
    /** The slices in a row after which it hurries. */ readonly after: number
    /** Milliseconds between slices from then on. */ readonly pause: number
  }
  /** Milliseconds that one slice may take. One that takes longer has failed, so that a lost connection does not end all sweeping. Default: a minute. */
  readonly limit?: number
  /** Called if a slice fails. It is retried after `idle`. */
  readonly failed?: (error: unknown) => void
}

const kinds: MemberKinds<SweepingOptions> = {
  begin: "number?",
  idle: "number?",
  busy: "number?",
  behind: "object?",
  limit: "number?",
  failed: "function?",
}

/** Sweeps in small slices while the process runs. Returns a function that stops it. The timer does not keep the process alive. */
export const startSweeping = (stores: Pick<Stores, "sweep">, options: SweepingOptions = {}): (() => void) => {
  refuseFaults("startSweeping", partFaults("stores", stores, { sweep: "function" }, "Stores"), memberFaults(options, kinds))
  const { sweep } = stores
  const { idle = 15_000, busy = 50, begin = busy, behind = { after: 2000, pause: 10 }, limit = 60_000, failed } = options
  refuseFaults("startSweeping", memberFaults(behind, { after: "number", pause: "number" }, "behind."))
  let timer: NodeJS.Timeout
  let stopped = false
  let onEnd = 0
  const again = (pause: number): void => {
    if (!stopped) timer = setTimeout(() => void slice(), pause).unref()
  }
  const slice = async (): Promise<void> => {
    try {
      const { more } = await inTime(() => sweep(), limit)
      onEnd = more ? onEnd + 1 : 0
      again(more ? (onEnd > behind.after ? behind.pause : busy) : idle)
    } catch (error) {
      // A slice that the end of the process cuts off has not failed.
      if (stopped) return
      again(idle)
      failed?.(error)
    }
  }
  again(begin)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Waits for a slice for at most `limit` milliseconds. */
const inTime = async <A>(sweep: () => Awaitable<A>, limit: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a slice did not end within ${limit} ms`)), limit).unref()
  })
  try {
    return await Promise.race([sweep(), late])
  } finally {
    clearTimeout(timer)
  }
}
