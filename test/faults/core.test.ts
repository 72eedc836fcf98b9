import { expect, test } from "vitest"
import { afterJump, jumps } from "./clockJumps.ts"
import { full, runs } from "../tiers/tier.ts"
import { rotationsInCore } from "./keys.ts"
import { garbage, ports } from "./portFailures.ts"

test.each(jumps)("the clock jumps $name: what is dead stays dead, no lifetime is negative, polling goes on (R7)", async (jump) => {
  expect(await afterJump(jump)).toEqual([])
})

test("keys rotate: clients that keep a key set for five minutes verify every token, and old keys leave on time (R8)", async () => {
  const { verified, ...rest } = await rotationsInCore(runs(2))
  expect(verified).toBeGreaterThan(runs(4_000, 2_000))
  expect(rest).toEqual({ failures: 0, misplaced: 0, withoutKey: 0 })
}, 180_000)

test("whichever port call fails, of every flow: an error is the answer, with no token in it, and the next try finds nothing half done; a conflict is decided again (R16)", async () => {
  // Outside of the full tier every commit fails, and of the other calls each third.
  const { problems, times } = await ports({ times: 1, seed: 1, say: () => undefined }, ["rejects", "is lost", "conflicts"], full ? 1 : 3)
  expect(problems).toEqual([])
  expect(times).toBeGreaterThan(runs(600, 250))
}, 180_000)

test("architecture law 7: whichever port answers what its type does not allow, at any call of any flow: 503 with nothing done, never a defect of the provider", async () => {
  const rows = { clientId: "web", code: {}, token: {}, grant: {}, locator: "x" }
  expect(await garbage(full ? [rows, {}, [{}], "garbage"] : [rows])).toEqual([])
}, 180_000)
