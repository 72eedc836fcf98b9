import { expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { runs } from "../tiers/tier.ts"
import { seedOf } from "./campaign.ts"
import { forgery, replayJwts, unhonored } from "./jwts.ts"

test("the JWTs that are forged below are sound: each is honored as it is", async () => {
  expect(await unhonored()).toEqual([])
})

test("every forged JWT that once mattered is answered by the laws", async () => {
  expect(await replayJwts()).toEqual([])
})

test(
  "RFC 8725 §2, §3: whatever is done to headers, claims, signatures and encodings: no 5xx, and none that nobody signed is taken for genuine",
  patient,
  async () => {
    expect(await forgery(seedOf(), runs(1_000))).toBeGreaterThan(runs(1_000))
  },
)
