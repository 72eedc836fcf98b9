import type { Instant } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"

/** The uses of DPoP proofs, so that none counts twice (RFC 9449 §11.1). Processes that serve one resource share theirs. */
export interface ProofUses {
  /**
   * Claims the use of a proof: true for whoever is first, false for everybody after until `until` has passed. It must be one atomic step. A throw or a
   * rejection refuses the request with 503, and so does `undefined`, for a store that is full. `key` is a digest of 43 characters; times are in seconds.
   */
  readonly claim: (key: string, until: Instant, now: Instant) => Awaitable<boolean | undefined>
}

/** Options of the uses that one process keeps. */
export interface MemoryUsesOptions {
  /** The most uses at once, each some 100 bytes; 100,000 when not given. More are refused with 503: to forget one would let its proof pass again. */
  readonly most?: number | undefined
}

/** Keeps the uses of proofs in this process: for one process alone. */
export const memoryUses = ({ most = 100_000 }: MemoryUsesOptions = {}): ProofUses => {
  const ends = new Map<string, Instant>()
  /** The keys by expiry time, so that all expired keys are dropped at once. */
  const byEnd = new Map<Instant, Array<string>>()
  const forget = (now: Instant): void => {
    for (const [end, keys] of byEnd) {
      if (end > now) continue
      byEnd.delete(end)
      for (const key of keys) if (ends.get(key) === end) ends.delete(key)
    }
  }
  let forgotAt = Number.NEGATIVE_INFINITY
  return {
    claim: (key, until, now) => {
      if (now !== forgotAt) forget(now)
      forgotAt = now
      if (ends.has(key)) return false
      if (ends.size >= most) return undefined
      ends.set(key, until)
      const others = byEnd.get(until)
      if (others === undefined) byEnd.set(until, [key])
      else others.push(key)
      return true
    },
  }
}
