import { describe, expect, test } from "vitest"
import { guarded, least, programOf, weigh, whole } from "../../bench/size/weigh.ts"

/**
 * The budget of bundles, in bytes of gzip. Aims are 50 KB for the least and 80 KB for all; until then no change may make them heavier unseen. Whoever raises a
 * number says why in the commit.
 */
const budget = { all: 149_650, least: 99_400, none: 54_800, verify: 19_950 }

describe("the weight of bundles (`node bench/size.ts`)", () => {
  test("a provider of all features is within its budget", async () => {
    expect((await weigh(whole)).gzip).toBeLessThanOrEqual(budget.all)
  })

  test("a provider with the least that signs in is within its budget, and has none of the features that it is not given", async () => {
    const { gzip } = await weigh(programOf(least))
    expect(gzip).toBeLessThanOrEqual(budget.least)
    expect((await weigh(programOf([...least, "device", "endSession"]))).gzip).toBeGreaterThan(gzip + 3000)
  })

  test("an API with @postern/verify is within its budget, and has none of the provider", async () => {
    const { gzip, from } = await weigh(guarded)
    expect(gzip).toBeLessThanOrEqual(budget.verify)
    expect(from.effect).toBe(0)
  })

  test("a provider without features is within its budget", async () => {
    expect((await weigh(programOf([]))).gzip).toBeLessThanOrEqual(budget.none)
  })
})
