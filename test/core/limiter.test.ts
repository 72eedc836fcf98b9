import { memoryLimiter } from "@postern/core/memory"
import { expect, test } from "vitest"

const begin = 1_795_219_200_000
const sendings = (limiter: ReturnType<typeof memoryLimiter>, sender: string, count: number, at = begin): ReadonlyArray<number> =>
  Array.from({ length: count }, () => limiter.take("client", sender, at))

test("a minute's requests pass at once, and then one each time its share of the minute has gone by (RFC 6585 §4)", () => {
  const limiter = memoryLimiter({ client: 6 })
  expect(sendings(limiter, "web", 8)).toEqual([0, 0, 0, 0, 0, 0, 10, 10])
  expect(sendings(limiter, "web", 2, begin + 9_000)).toEqual([1, 1])
  expect(sendings(limiter, "web", 2, begin + 10_000)).toEqual([0, 10])
  expect(sendings(limiter, "web", 7, begin + 120_000)).toEqual([0, 0, 0, 0, 0, 0, 10])
})

test("senders, and clients and addresses, have buckets of their own, and where no number is given there is no limit", () => {
  const limiter = memoryLimiter({ client: 1 })
  expect(sendings(limiter, "web", 2)).toEqual([0, 60])
  expect(sendings(limiter, "other", 1)).toEqual([0])
  expect(Array.from({ length: 1000 }, () => limiter.take("address", "web", begin))).not.toContain(60)
})

test("a clock that goes back a year keeps nobody waiting for a year", () => {
  const limiter = memoryLimiter({ client: 2 })
  sendings(limiter, "web", 2)
  expect(sendings(limiter, "web", 3, begin - 31_536_000_000)).toEqual([0, 0, 30])
})

test("no more senders are remembered than it is told, and the ones heard of last are", () => {
  const limiter = memoryLimiter({ client: 1, senders: 3 })
  for (const sender of ["a", "b", "c", "d"]) expect(sendings(limiter, sender, 1)).toEqual([0])
  expect(["b", "c", "d"].flatMap((sender) => sendings(limiter, sender, 1))).toEqual([60, 60, 60])
  expect(sendings(limiter, "a", 1)).toEqual([0])
})

test("at a million a minute every one of a million is let through, and not one more", () => {
  const limiter = memoryLimiter({ client: 1_000_000 })
  let passed = 0
  for (let sent = 0; sent < 1_000_010; sent++) passed += limiter.take("client", "web", begin) === 0 ? 1 : 0
  expect(passed).toBe(1_000_000)
})
