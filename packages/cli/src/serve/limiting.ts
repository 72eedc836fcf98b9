import { memoryLimiter, sharedLimiter } from "@postern/core/memory"
import type { LimiterPort } from "@postern/core/ports"
import { startExchanging, type Stores } from "@postern/stores"
import type { Setup } from "../config/setup.ts"

/** A limiter that exchanges its counts with other servers. */
export interface Limiting {
  readonly limiter: LimiterPort
  /** Sends the remaining counts and stops the exchange. */
  readonly close: () => Promise<void>
}

/** The maximum number of senders that a server tracks. */
const senders = 100_000

/**
 * Creates the configured rate limiter, shared with other servers if they share the database. `failed` is called if the exchange with the
 * database fails. Each of several workers tracks its share of the senders.
 */
export const limiting = (
  limits: Setup["limits"],
  { requestCounts }: Stores,
  failed: (error: unknown) => void,
  workers = 1,
): Limiting | undefined => {
  if (limits === undefined) return undefined
  if (requestCounts === undefined) return { limiter: memoryLimiter(limits), close: async () => {} }
  const limiter = sharedLimiter({ senders: Math.ceil(senders / workers), ...limits }, requestCounts)
  return { limiter, close: startExchanging(limiter, { failed }) }
}
