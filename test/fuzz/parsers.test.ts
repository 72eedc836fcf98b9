import { expect, test } from "vitest"
import { endpoints } from "../support/endpoints.ts"
import { patient } from "../properties/arbitraries.ts"
import { runs } from "../tiers/tier.ts"
import { campaign, nothing, rejected, replay, seedOf } from "./campaign.ts"

test("every input that once mattered is answered by the laws", async () => {
  expect(await replay()).toEqual([])
})

test("the valid requests that are spoilt below are valid: each is taken by a fresh world", async () => {
  expect(await rejected()).toEqual([])
})

test(
  "architecture law 7, RFC 9110 §15.6: valid requests of every endpoint, spoilt in up to three ways: no 5xx, none unanswered, nothing that cannot be sent",
  patient,
  async () => {
    const seen = nothing()
    await campaign(seedOf(), runs(500, 100), seen)
    expect([...seen.endpoints]).toEqual(expect.arrayContaining(endpoints.map(({ name }) => name)))
    expect(seen.requests).toBeGreaterThan(runs(5_000))
    // A campaign that is turned away at the door has fuzzed the door.
    expect(seen.rules.size).toBeGreaterThan(runs(60, 30))
  },
)
