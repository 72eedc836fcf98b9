import { type Instant, type Seconds, messageOf } from "@postern/core/model"

/** A fetched document, or the reason why there is none. */
export type Cached<A> = { readonly value: A } | { readonly value?: undefined; readonly reason: string }

/** Times of a cache, in seconds. */
interface CacheTimes {
  /** Seconds for which a document is fresh. */
  readonly life: Seconds
  /** Further seconds for which a stale document is used if no fresh one can be fetched. */
  readonly stale: Seconds
  /** The minimum time between two fetches, whatever triggers them. */
  readonly pause: Seconds
}

/** Milliseconds that a request waits for a fetch in progress. */
const patience = 6_000

const within = async (begun: Promise<void>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)))
  // A runtime may drop a fetch when the request that started it ends.
  await Promise.race([begun, late])
  clearTimeout(timer)
}

/**
 * Caches one remote document. Concurrent requests share one fetch, and fetches are at least `pause` seconds apart, so that forged tokens
 * and an unreachable issuer cost next to nothing. An expired document stays in use while it is fetched again.
 */
export const cached = <A>(
  load: () => Promise<A>,
  { life, stale, pause }: CacheTimes,
  clock: () => number,
): ((again: boolean) => Promise<Cached<A>>) => {
  let known: { readonly value: A; readonly at: Instant } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let reason = `the fetch did not end within ${patience / 1000} seconds`
  let underway: Promise<void> | undefined
  const now = (): Instant => Math.floor(clock() / 1000)
  const begin = (): Promise<void> => {
    triedAt = now()
    const begun: Promise<void> = load().then(
      (value) => {
        known = { value, at: now() }
      },
      (error: unknown) => {
        reason = messageOf(error)
      },
    )
    const ended = begun.then(() => {
      if (underway === ended) underway = undefined
    })
    return ended
  }
  const isUsable = (): boolean => known !== undefined && now() < known.at + life + stale
  return async (again) => {
    const moment = now()
    const isDue = known === undefined || again || moment >= known.at + life || moment < known.at
    // A clock that was set back must not prevent fetching.
    const isPaused = moment >= triedAt && moment < triedAt + pause
    if (isDue && !isPaused) underway = begin()
    if (underway !== undefined && (again || !isUsable())) await within(underway)
    return known !== undefined && isUsable() ? { value: known.value } : { reason }
  }
}
