import { redisStores } from "@postern/adapter-redis"
import { memoryTokenStore } from "@postern/core/memory"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ownRowsAlone } from "../store/partitions.ts"
import { reads, step } from "../store/smallWorld.ts"
import { redisThere } from "../support/redisServer.ts"
import { runs } from "../tiers/tier.ts"
import { sharedRedis } from "./shared.ts"

const fresh = sharedRedis()

describe.skipIf(!redisThere)("Redis is what memory is", () => {
  it("law 13: any commands and sweeps, in any order, come to the same answers and the same rows", async () => {
    let conflicts = 0
    let commits = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { tokens } = await redisStores(await fresh())
        const memory = memoryTokenStore()
        for (const each of steps) {
          if ("sweep" in each) {
            expect(await tokens.sweep(each.sweep)).toEqual(memory.sweep(each.sweep))
            continue
          }
          const expected = await memory.commit(each.commit)
          expect(await tokens.commit(each.commit)).toBe(expected)
          if (expected === "Conflict") conflicts++
          if (expected === "Committed") commits++
        }
        expect(await Promise.all(reads(tokens))).toStrictEqual(reads(memory))
      }),
      { numRuns: runs(300, 60) },
    )
    // Both answers are met often, or this test proves little.
    expect(Math.min(conflicts, commits)).toBeGreaterThan(runs(75, 5))
  }, 120_000)

  it("several issuers in one server: no read of one is answered by a row of another, whatever they commit", async () => {
    const met = { commits: 0, conflicts: 0 }
    const shared = async () => {
      const { tokens } = await redisStores(await fresh())
      return { tokens, sweep: tokens.sweep }
    }
    await fc.assert(ownRowsAlone(shared, met), { numRuns: runs(150, 20) })
    expect(Math.min(met.conflicts, met.commits)).toBeGreaterThan(runs(75, 5))
  }, 240_000)

  it("law 13: nothing is left of rows that were swept, in whatever place they were found", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const send = await fresh()
        const { tokens, sweep } = await redisStores(send)
        const added = [...(await keysOf(send))].sort()
        for (const each of steps) if ("commit" in each) await tokens.commit(each.commit)
        await sweep(999_999_999_999)
        // Rows that are kept until they are removed stay, and so does the outcome of each commit for a minute.
        const left = (await keysOf(send)).filter((key) => !/:(?:commit|consents|outbox):/.test(key))
        expect(left.sort()).toEqual(added)
      }),
      { numRuns: runs(60, 15) },
    )
  }, 120_000)
})

const keysOf = async (send: Awaited<ReturnType<typeof fresh>>): Promise<ReadonlyArray<string>> =>
  ((await send(["KEYS", "*"])) as ReadonlyArray<string>).map(String)
