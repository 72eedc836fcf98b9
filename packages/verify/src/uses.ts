import type { Instant } from "@postern/core/model"
import { memberFaults, refuseFaults } from "@postern/core/options"
import type { Awaitable } from "@postern/core/ports"

/**
 * Stores the uses of DPoP proofs, so that no proof counts twice (RFC 9449 §11.1). Processes that serve the same resource share one store.
 */
export interface ProofUses {
  /**
   * Claims the use of a proof in one atomic step. Returns true for the first claim and false for all others until the time `until`. Returns
   * `undefined` if the store is full. The request is then refused with 503, as it is if this throws or rejects. `key` is a digest of 43
   * characters. Times are in seconds.
   */
  readonly claim: (key: string, until: Instant, now: Instant) => Awaitable<boolean | undefined>
}

/** Options for storing uses in memory. */
export interface MemoryUsesOptions {
  /**
   * The maximum number of uses, of some 100 bytes each. Default: 100,000. More are refused with 503, because forgetting a use would let its
   * proof pass again.
   */
  readonly most?: number | undefined
}

/** Stores the uses of proofs in memory, for a resource that a single process serves. */
export const memoryUses = (options: MemoryUsesOptions = {}): ProofUses => {
  refuseFaults("memoryUses", memberFaults(options, { most: "number?" }))
  const { most = 100_000 } = options
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
