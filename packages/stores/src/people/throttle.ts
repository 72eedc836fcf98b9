import { addressKey } from "@postern/core/wire"
import { RateLimiterMemory, type RateLimiterAbstract, type RateLimiterRes } from "rate-limiter-flexible"
import type { Seconds } from "@postern/core/model"

/** How tries are limited, per account and per address. */
export interface ThrottleOptions {
  /** Failed tries an account has before it must wait; 5 when not given. */
  readonly perAccount?: number
  /** Failed tries an address has in a quarter of an hour; 50 when not given, since many people may share one. */
  readonly perAddress?: number
  /** The first wait of an account; 30 s when not given. Each wait that follows is twice as long, up to a quarter of an hour. */
  readonly firstWait?: Seconds
  /** How many accounts and how many addresses are remembered in memory; 100,000 each when not given. */
  readonly remembered?: number
}

/** One try to sign in, counted as failed until it is said to have succeeded. */
export type Try =
  | { readonly _tag: "Allowed"; readonly succeeded: () => Promise<void> }
  | { readonly _tag: "TooMany"; readonly what: "account" | "address"; readonly retryAfter: Seconds }

/** Counts tries. */
export type Throttle = (account: string, address: string | undefined) => Promise<Try>

/** Counts under keys, each for a time. */
export interface Limiter {
  readonly count: (key: string) => Promise<Pick<RateLimiterRes, "consumedPoints" | "msBeforeNext">>
  readonly block: (key: string, wait: Seconds) => Promise<unknown>
  readonly takeBack: (key: string) => Promise<unknown>
  readonly forget: (key: string) => Promise<unknown>
}

/** What a limiter counts: it prefixes its keys with `keyPrefix`, and forgets a key `duration` seconds after it was first counted. */
export interface LimiterOptions {
  readonly keyPrefix: string
  readonly points: number
  readonly duration: Seconds
}

const window: Seconds = 900
/** How long a row of waits is remembered, so that a patient guesser meets long ones. */
const memory: Seconds = 86_400

/**
 * Throttles by rate-limiter-flexible, in this process's memory unless limiters over a shared store are given. A try is counted before its password is looked at, so that a thousand tries
 * at once are no more than a thousand in a row. Only success takes its own try back, and only an account's own success forgets its waits.
 */
export const throttle = (
  { perAccount = 5, perAddress = 50, firstWait = 30, remembered = 100_000 }: ThrottleOptions = {},
  limiter: (options: LimiterOptions) => Limiter = (options) => bounded(new RateLimiterMemory(options), remembered),
): Throttle => {
  const accounts = limiter({ keyPrefix: "account", points: perAccount, duration: window })
  const waits = limiter({ keyPrefix: "waits", points: Number.MAX_SAFE_INTEGER, duration: memory })
  const addresses = limiter({ keyPrefix: "address", points: perAddress, duration: window })

  const tooManyOf = async (account: string): Promise<Seconds | undefined> => {
    const { consumedPoints, msBeforeNext } = await accounts.count(account)
    if (consumedPoints <= perAccount) return undefined
    if (consumedPoints > perAccount + 1) return seconds(msBeforeNext)
    const { consumedPoints: times } = await waits.count(account)
    const wait = Math.min(firstWait * 2 ** Math.min(times - 1, 20), window)
    await accounts.block(account, wait)
    return wait
  }

  return async (account, address) => {
    const from = address === undefined ? undefined : addressKey(address)
    if (from !== undefined) {
      const { consumedPoints, msBeforeNext } = await addresses.count(from)
      if (consumedPoints > perAddress) return { _tag: "TooMany", what: "address", retryAfter: seconds(msBeforeNext) }
    }
    const wait = await tooManyOf(account)
    if (wait !== undefined) return { _tag: "TooMany", what: "account", retryAfter: wait }
    return {
      _tag: "Allowed",
      succeeded: async () => {
        await Promise.all([accounts.forget(account), waits.forget(account), ...(from === undefined ? [] : [addresses.takeBack(from)])])
      },
    }
  }
}

const seconds = (milliseconds: number): Seconds => Math.max(1, Math.ceil(milliseconds / 1000))

/** A limiter of rate-limiter-flexible. */
export const limiterOf = (limiter: RateLimiterAbstract): Limiter => ({
  count: (key) => limiter.penalty(key),
  block: (key, wait) => limiter.block(key, wait),
  takeBack: (key) => limiter.reward(key),
  forget: (key) => limiter.delete(key),
})

/**
 * A limiter that remembers a bounded number of keys. The library's memory drops a key when its time is over and never for want of room; here the
 * key that was counted longest ago makes way.
 */
const bounded = (limiter: RateLimiterMemory, most: number): Limiter => {
  const known = new Set<string>()
  const note = async (key: string): Promise<void> => {
    known.delete(key)
    known.add(key)
    for (const oldest of known) {
      if (known.size <= most) break
      known.delete(oldest)
      await limiter.delete(oldest)
    }
  }
  return {
    ...limiterOf(limiter),
    count: async (key) => {
      await note(key)
      return limiter.penalty(key)
    },
    forget: async (key) => {
      known.delete(key)
      await limiter.delete(key)
    },
  }
}
