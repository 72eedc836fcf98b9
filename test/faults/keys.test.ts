import { expect, test } from "vitest"
import { keys } from "./keys.ts"

test("keys rotate by command under load: clients with a cached key set verify every token, and no start is without a key (R8)", async () => {
  const { lost, problems, figures } = await keys({ times: 1, seed: 15, say: () => undefined }, 800, 4)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
  expect(Number(figures["tokens verified by clients"])).toBeGreaterThan(5)
}, 180_000)
