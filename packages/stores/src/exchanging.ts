import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"

/** Options for exchanging request counts in the background. */
export interface ExchangingOptions {
  /** Milliseconds between exchanges. Default: 250. The store is not queried if no request was let through. */
  readonly every?: number
  /** Milliseconds until a failed exchange is retried. Default: 2000. */
  readonly retry?: number
  /** Called on the first of consecutive failures. */
  readonly failed?: (error: unknown) => void
  /** Milliseconds since 1970. Default: the system clock. */
  readonly millis?: () => number
}

const kinds: MemberKinds<ExchangingOptions> = { every: "number?", retry: "number?", failed: "function?", millis: "function?" }

/** A limiter that shares its counts: `SharedLimiter` of `@postern/core/memory`. */
export interface Exchanges {
  /** Exchanges counts once. Returns true if there are more to send. Rejects if the store cannot be reached. */
  readonly exchange: (millis: number) => Promise<boolean>
}

/**
 * Exchanges counts while the process runs. Returns a function that sends the remaining counts and stops. The timer does not keep the
 * process alive.
 */
export const startExchanging = (limiter: Exchanges, options: ExchangingOptions = {}): (() => Promise<void>) => {
  refuseFaults("startExchanging", partFaults("limiter", limiter, { exchange: "function" }, "SharedLimiter"), memberFaults(options, kinds))
  const { exchange } = limiter
  const { every = 250, retry = 2000, failed, millis: clock = Date.now } = options
  const millis = (): number => {
    const at = clock()
    // By the seconds of today every bucket would be empty, in January 1970.
    if (typeof at !== "number" || !(at >= 1e11))
      throw new TypeError(`startExchanging: millis: answered ${String(at)}, and must count milliseconds since 1970`)
    return at
  }
  let timer: NodeJS.Timeout
  let underway: Promise<boolean> = Promise.resolve(true)
  let stopped = false
  let failing = false
  /** Sends all counts. Returns false if the store failed. */
  const all = async (): Promise<boolean> => {
    try {
      while (await exchange(millis())) continue
      failing = false
    } catch (error) {
      if (!failing) failed?.(error)
      failing = true
    }
    return !failing
  }
  const again = (pause: number): void => {
    timer = setTimeout(() => {
      underway = all()
      void underway.then((done) => stopped || again(done ? every : retry))
    }, pause).unref()
  }
  again(every)
  return async () => {
    stopped = true
    clearTimeout(timer)
    if (await underway) await all()
  }
}
