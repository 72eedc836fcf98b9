/** Options of exchanging counts of requests in the background. */
export interface ExchangingOptions {
  /** Milliseconds between exchanges; 250 when not given. Nothing is asked of the store when nothing was let through. */
  readonly every?: number
  /** Milliseconds until it is tried again when the store could not; 2000 when not given. */
  readonly retry?: number
  /** Told when the store could not, once until it can again. */
  readonly failed?: (error: unknown) => void
  /** Milliseconds since 1970; the system's clock when not given. */
  readonly millis?: () => number
}

/** A limiter that shares its counts: `SharedLimiter` of `@postern/core/memory`. */
export interface Exchanges {
  /** Exchanges counts once; true where there are more to tell. Rejects where the store could not be reached. */
  readonly exchange: (millis: number) => Promise<boolean>
}

/** Exchanges counts for as long as the process serves; the answer stops it, once what is left was told. It keeps no process alive. */
export const startExchanging = (
  { exchange }: Exchanges,
  { every = 250, retry = 2000, failed, millis = Date.now }: ExchangingOptions = {},
): (() => Promise<void>) => {
  let timer: NodeJS.Timeout
  let underway: Promise<boolean> = Promise.resolve(true)
  let stopped = false
  let failing = false
  /** Tells all there is; false when the store could not take it. */
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
