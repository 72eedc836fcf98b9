import { expect, test } from "vitest"
import { copies } from "./copies.ts"

test("a backup under load is whole; restored, nothing that was given out before works, and people sign in (R15)", async () => {
  const { lost, problems, figures } = await copies({ times: 1, seed: 16, say: () => undefined }, 8, false)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
  expect(Number(figures["facts looked at"])).toBeGreaterThan(50)
}, 180_000)
