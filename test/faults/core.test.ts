import { expect, test } from "vitest"
import { afterJump, jumps } from "./clockJumps.ts"
import { rotationsInCore } from "./keys.ts"
import { ports } from "./portFailures.ts"

test.each(jumps)("the clock jumps $name: what is dead stays dead, no lifetime is negative, polling goes on (R7)", async (jump) => {
  expect(await afterJump(jump)).toEqual([])
})

test("keys rotate: clients that keep a key set for five minutes verify every token, and old keys leave on time (R8)", async () => {
  const { verified, ...rest } = await rotationsInCore(2)
  expect(verified).toBeGreaterThan(4_000)
  expect(rest).toEqual({ failures: 0, misplaced: 0, withoutKey: 0 })
}, 180_000)

test("whichever port call fails, of every flow: an error is the answer, with no token in it, and the next try finds nothing half done; a conflict is decided again (R16)", async () => {
  const { problems, times } = await ports({ times: 1, seed: 1, say: () => undefined }, ["rejects", "is lost", "conflicts"])
  expect(problems).toEqual([])
  expect(times).toBeGreaterThan(600)
}, 180_000)
