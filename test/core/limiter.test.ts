import { memoryLimiter, memoryRequestCounts, sharedLimiter } from "@postern/core/memory"
import type { Limited, LimiterPort } from "@postern/core/ports"
import { describe, expect, test } from "vitest"

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

describe.each<readonly [string, (limits: Parameters<typeof memoryLimiter>[0]) => LimiterPort]>([
  ["of one process", memoryLimiter],
  ["of several", (limits) => sharedLimiter(limits, memoryRequestCounts())],
])("a limiter %s", (_, limiterOf) => {
  const kinds: ReadonlyArray<Limited> = ["client", "address", "authorizeAddress", "deviceClient", "deviceAddress"]

  test("RFC 6585 §4: each kind of request has its own limit, and its own buckets", () => {
    for (const limited of kinds) {
      const limiter = limiterOf({ [limited]: 1 })
      for (const each of kinds) {
        expect(limiter.take(each, "one", begin), each).toBe(0)
        expect(limiter.take(each, "one", begin), each).toBe(each === limited ? 60 : 0)
      }
    }
    const all = limiterOf({ client: 1, address: 1, authorizeAddress: 1, deviceClient: 1, deviceAddress: 1 })
    for (const each of [...kinds, ...kinds].map((kind, at) => [all.take(kind, "one", begin), at] as const))
      expect(each[0]).toBe(each[1] < 5 ? 0 : 60)
  })

  test("who was heard of longest ago makes way, not who was met first", () => {
    const limiter = limiterOf({ client: 2, senders: 3 })
    const take = (...senders: ReadonlyArray<string>) => senders.map((sender) => limiter.take("client", sender, begin))
    // Everybody is remembered until there are more than may be.
    expect(take("a", "b", "c", "a", "c", "c")).toEqual([0, 0, 0, 0, 0, 30])
    // The fourth takes the place of b, who begins anew; a, whom it heard of after b, has nothing left.
    expect(take("d", "a", "b", "b")).toEqual([0, 30, 0, 0])
  })

  test("a clock that stands still, or is three minutes behind, keeps the count; one that is further behind begins anew", () => {
    const limiter = limiterOf({ client: 1 })
    expect([0, 0, -119_000, -121_000].map((later) => limiter.take("client", "web", begin + later))).toEqual([0, 60, 179, 0])
  })

  test("a wait is told in whole seconds, and what is less than a thousandth of a millisecond is none", () => {
    const limiter = limiterOf({ client: 7 })
    for (let each = 0; each < 7; each++) limiter.take("client", "web", begin)
    // Seven times a seventh of a minute is a minute but for the last digit.
    for (let each = 1; each <= 70; each++) expect(limiter.take("client", "web", begin + (each * 60_000) / 7)).toBe(0)
  })
})
