import { memoryLimiter, sharedLimiter } from "@postern/core/memory"
import type { LimiterPort } from "@postern/core/ports"
import { startExchanging, type Stores } from "@postern/stores"
import type { Setup } from "../config/setup.ts"

/** A limiter, with the exchange of its counts going on. */
export interface Limiting {
  readonly limiter: LimiterPort
  /** Tells the others what is left to tell, and ends the exchange. */
  readonly close: () => Promise<void>
}

/** Senders that a server remembers. */
const senders = 100_000

/**
 * Limits requests as the configuration says; together with other servers, where the database is one that they share. `failed` is told when it
 * cannot be asked. One of several workers remembers its share of the senders.
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
