import { memoryTokenStore } from "@postern/core/memory"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { reads, step } from "../store/smallWorld.ts"
import { apart, emptied, places, sharedWorkerd } from "./places.ts"

const workerd = sharedWorkerd()

describe.each(places)("%s is what memory is", (place, open) => {
  it("law 13: any commands and sweeps, in any order, come to the same answers and the same rows", async () => {
    let conflicts = 0
    let commits = 0
    const options = apart()
    const { tokens } = await open(workerd().origin(), options)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await emptied(workerd().origin(), place, options.prefix ?? "")
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
})
