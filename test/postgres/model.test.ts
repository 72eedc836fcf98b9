import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { postgresTokenStore } from "@postern/adapter-postgres"
import { memoryTokenStore } from "@postern/core/memory"
import { ownRowsAlone } from "../store/partitions.ts"
import { reads, step } from "../store/smallWorld.ts"
import { sharedDatabase } from "../support/postgres.ts"
import { runs } from "../tiers/tier.ts"

const fresh = sharedDatabase()

describe("PostgreSQL is what memory is", () => {
  it("any commands and sweeps, in any order, come to the same answers and the same rows", async () => {
    let conflicts = 0
    let commits = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const postgres = postgresTokenStore(await fresh())
        const memory = memoryTokenStore()
        for (const each of steps) {
          if ("sweep" in each) {
            expect(await postgres.sweep(each.sweep)).toEqual(memory.sweep(each.sweep))
            continue
          }
          const expected = await memory.commit(each.commit)
          expect(await postgres.commit(each.commit)).toBe(expected)
          if (expected === "Conflict") conflicts++
          if (expected === "Committed") commits++
        }
        expect(await Promise.all(reads(postgres))).toStrictEqual(reads(memory))
      }),
      { numRuns: runs(150, 30) },
    )
    // Both answers are met often, or this test proves little.
    expect(Math.min(conflicts, commits)).toBeGreaterThan(runs(75, 5))
  }, 120_000)

  it("several issuers in one database: no read of one is answered by a row of another, whatever they commit", async () => {
    const met = { commits: 0, conflicts: 0 }
    const shared = async () => {
      const tokens = postgresTokenStore(await fresh())
      return { tokens, sweep: tokens.sweep }
    }
    await fc.assert(ownRowsAlone(shared, met), { numRuns: runs(100, 15) })
    expect(Math.min(met.conflicts, met.commits)).toBeGreaterThan(runs(50, 3))
  }, 240_000)
})
