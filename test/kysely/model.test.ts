import { memoryTokenStore } from "@postern/core/memory"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ownRowsAlone } from "../store/partitions.ts"
import { reads, step } from "../store/smallWorld.ts"
import { places, sharedStores } from "./databases.ts"

for (const [name, isThere, open] of places) {
  describe.skipIf(!isThere)(`${name} under Kysely is what memory is`, () => {
    const fresh = sharedStores(open)
    it("law 13: any commands and sweeps, in any order, come to the same answers and the same rows", async () => {
      let conflicts = 0
      let commits = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          const { tokens } = (await fresh()).stores
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
        { numRuns: 200 },
      )
      // Both answers are met often, or this test proves little.
      expect(Math.min(conflicts, commits)).toBeGreaterThan(50)
    }, 240_000)

    it("several issuers in one database: no read of one is answered by a row of another, whatever they commit", async () => {
      const met = { commits: 0, conflicts: 0 }
      const shared = async () => {
        const { tokens } = (await fresh()).stores
        return { tokens, sweep: tokens.sweep }
      }
      await fc.assert(ownRowsAlone(shared, met), { numRuns: 60 })
      expect(Math.min(met.conflicts, met.commits)).toBeGreaterThan(30)
    }, 240_000)
  })
}
