import type { RequestCountsPort } from "@postern/core/ports"
import { listOf } from "./client.ts"
import { digestOf, type Library } from "./library.ts"

/** Counts requests for all processes on one Redis. Keys are digests, so that addresses and client ids are not stored. */
export const requestCountsOn = ({ call }: Library): RequestCountsPort => ({
  exchange: async (taken, millis) => {
    if (taken.length === 0) return []
    const told = await Promise.all(taken.map(async ({ key, taken: added, alone }) => [await digestOf(key), String(added), String(alone)]))
    return listOf(await call("count requests", "exchange", [String(millis), JSON.stringify(told)])).map(Number)
  },
})
