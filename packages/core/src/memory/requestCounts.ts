import type { RequestCountsPort } from "../ports/index.ts"
import { mergedRequests } from "./bucket.ts"

/** Counts requests in memory, for tests and examples. */
export const memoryRequestCounts = (): RequestCountsPort => {
  const fullAt = new Map<string, number>()
  return {
    exchange: (taken, millis) =>
      taken.map((each) => {
        const then = mergedRequests(fullAt.get(each.key), each, millis)
        fullAt.set(each.key, then)
        return then
      }),
  }
}
