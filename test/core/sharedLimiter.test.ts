import { memoryLimiter, memoryRequestCounts, type RequestLimits, type SharedLimiter, sharedLimiter } from "@postern/core/memory"
import type { RequestCountsPort } from "@postern/core/ports"
import fc from "fast-check"
import { expect, test } from "vitest"
import { runs } from "../tiers/tier.ts"

const begin = 1_795_219_200_000
const minute = 60_000

/** `reached` is an exchange whose answer is still on its way. */
type Ending = "answered" | "lost" | "never asked" | "reached"

/** A store that is asked, and whose answers come, when they are let go, if ever. */
const slowCounts = (counts = memoryRequestCounts()): RequestCountsPort & { readonly end: (how: Ending) => void } => {
  let end: (how: Ending) => void = () => {}
  return {
    end: (how) => end(how),
    exchange: (taken, millis) =>
      new Promise((resolve, reject) => {
        let answers: ReturnType<RequestCountsPort["exchange"]> | undefined
        end = (how) => {
          if (how !== "never asked") answers ??= counts.exchange(taken, millis)
          if (how === "reached") return
          end = () => {}
          if (how === "answered") resolve(answers ?? [])
          else reject(new Error(how))
        }
      }),
  }
}

const takes = (limiter: SharedLimiter, count: number, at = begin, sender = "web"): ReadonlyArray<number> =>
  Array.from({ length: count }, () => limiter.take("client", sender, at))

const pair = (limits: RequestLimits, counts = memoryRequestCounts()): readonly [SharedLimiter, SharedLimiter] => [
  sharedLimiter(limits, counts),
  sharedLimiter(limits, counts),
]

test("what one let through is not left on the other, once both have told (RFC 6585 §4)", async () => {
  const [here, there] = pair({ client: 6 })
  expect([takes(here, 3), takes(there, 2)]).toEqual([
    [0, 0, 0],
    [0, 0],
  ])
  for (const each of [here, there, here]) await each.exchange(begin)
  expect(takes(there, 2)).toEqual([0, 10])
  await there.exchange(begin)
  // The other has told nothing since and learns of it when it has let one through itself: one too many, which both make up for.
  expect(takes(here, 2)).toEqual([0, 0])
  await here.exchange(begin)
  expect([takes(here, 1), takes(there, 1, begin + 9_000)]).toEqual([[30], [1]])
})

test("one that begins anew learns what was let through before it", async () => {
  const counts = memoryRequestCounts()
  const [before, after] = pair({ client: 60 }, counts)
  takes(before, 59)
  await before.exchange(begin)
  expect(takes(after, 1, begin + 500)).toEqual([0])
  await after.exchange(begin + 500)
  expect(takes(after, 2, begin + 500)).toEqual([1, 1])
})

test("clients and addresses, and senders, are told apart, and nothing is told where nothing was let through", async () => {
  const told: Array<string> = []
  const counts = memoryRequestCounts()
  const noting: RequestCountsPort = {
    exchange: (taken, millis) => {
      told.push(...taken.map(({ key }) => key))
      return counts.exchange(taken, millis)
    },
  }
  const limiter = sharedLimiter({ client: 1, address: 1 }, noting)
  expect(["a", "b", "a"].map((sender) => limiter.take("client", sender, begin))).toEqual([0, 0, 60])
  expect(limiter.take("address", "a", begin)).toBe(0)
  expect([await limiter.exchange(begin), await limiter.exchange(begin)]).toEqual([false, false])
  expect([told.length, new Set(told).size]).toEqual([3, 3])
})

test("what the store did not take is told again, and what is let through while it is asked counts as well", async () => {
  const kept = memoryRequestCounts()
  const counts = slowCounts(kept)
  const [here, there] = [sharedLimiter({ client: 6 }, counts), sharedLimiter({ client: 6 }, kept)]
  takes(here, 1, begin, "somebody before")
  const at = begin + 100_000
  takes(here, 2, at)
  const refused = here.exchange(at)
  takes(here, 1, at)
  counts.end("never asked")
  await expect(refused).rejects.toThrow("never asked")
  const asked = here.exchange(at)
  expect(takes(here, 1, at)).toEqual([0])
  counts.end("answered")
  await asked
  takes(there, 1, at)
  await there.exchange(at)
  // Three were told, and one by the other.
  expect(takes(there, 3, at)).toEqual([0, 0, 10])
  await there.exchange(at)
  // All six, and one that is not told yet: what is left is what they are beyond the limit.
  const again = here.exchange(at)
  counts.end("answered")
  await again
  expect(takes(here, 1, at)).toEqual([20])
})

test("at a million a minute every one of a million is let through, and not one more, however often they are told", async () => {
  const limiter = sharedLimiter({ client: 1_000_000 }, memoryRequestCounts())
  let passed = 0
  for (let sent = 0; sent < 1_000_020; sent += 5) {
    for (const wait of takes(limiter, 5)) passed += wait === 0 ? 1 : 0
    await limiter.exchange(begin)
  }
  expect(passed).toBe(1_000_000)
})

test("an hour without the store is not held against senders that kept to their limit", async () => {
  const [here, there] = pair({ client: 60 })
  const hour = 3_600_000
  // A request every 2.5 seconds on each: four fifths of what the limit allows.
  for (let at = 0; at < hour; at += 2_500) expect([...takes(here, 1, begin + at), ...takes(there, 1, begin + at)]).toEqual([0, 0])
  for (const each of [here, there, here, there]) await each.exchange(begin + hour)
  for (let at = hour + 2_500; at < 2 * hour; at += 2_500) {
    for (const each of [here, there]) {
      const [wait] = takes(each, 1, begin + at)
      expect(wait).toBe(0)
      await each.exchange(begin + at)
    }
  }
})

test("each tells of so many new senders in two minutes as it remembers, a thousand at once", async () => {
  let told = 0
  const counts = memoryRequestCounts()
  const noting: RequestCountsPort = { exchange: (taken, millis) => ((told += taken.length), counts.exchange(taken, millis)) }
  const limiter = sharedLimiter({ client: 5, senders: 2_500 }, noting)
  for (let each = 0; each < 2_500; each++) takes(limiter, 1, begin, `sender ${each}`)
  expect([await limiter.exchange(begin), told]).toEqual([true, 1000])
  expect([await limiter.exchange(begin), await limiter.exchange(begin), told]).toEqual([true, false, 2_500])
  takes(limiter, 1, begin, "one more")
  takes(limiter, 1, begin, "sender 2000")
  expect([await limiter.exchange(begin), told]).toEqual([false, 2_501])
  takes(limiter, 1, begin + 120_000, "one more")
  expect([await limiter.exchange(begin + 120_000), told]).toEqual([false, 2_502])
})

test("who has made way for others is told of no more, and is not when the store fails", async () => {
  const told: Array<ReadonlyArray<string>> = []
  let fails = false
  const counts = memoryRequestCounts()
  const noting: RequestCountsPort = {
    exchange: async (taken, millis) => {
      told.push(taken.map(({ key }) => key))
      if (fails) {
        fails = false
        // While the store is asked, d takes the place of b.
        takes(limiter, 1, begin, "d")
        throw new Error("the store is locked")
      }
      return counts.exchange(taken, millis)
    },
  }
  const limiter = sharedLimiter({ client: 5, senders: 2 }, noting)
  for (const sender of ["a", "b", "c"]) takes(limiter, 1, begin, sender)
  fails = true
  await expect(limiter.exchange(begin)).rejects.toThrow("the store is locked")
  await limiter.exchange(begin + 120_000)
  await limiter.exchange(begin + 120_000)
  expect(told).toEqual([
    ["client b", "client c"],
    ["client d", "client c"],
  ])
})

test("what the store did not take counts when it is told again, with what was let through since", async () => {
  const kept = memoryRequestCounts()
  const counts = slowCounts(kept)
  const [limiter, other] = [sharedLimiter({ client: 60 }, counts), sharedLimiter({ client: 60 }, kept)]
  takes(other, 20)
  await other.exchange(begin)
  takes(limiter, 10)
  const refused = limiter.exchange(begin)
  takes(limiter, 5)
  counts.end("never asked")
  await expect(refused).rejects.toThrow("never asked")
  const asked = limiter.exchange(begin)
  counts.end("answered")
  await asked
  expect(await kept.exchange([{ key: "client web", taken: 0, alone: 0 }], begin)).toEqual([begin + 35_000])
  // It has learned of the other's twenty.
  expect([takes(limiter, 25).at(-1), takes(limiter, 1)]).toEqual([0, [1]])
})

test("what was let through a minute ago and longer is told as nothing, what was half a minute ago as half", async () => {
  const told: Array<number> = []
  const noting: RequestCountsPort = {
    exchange: (taken) => (told.push(...taken.map((each) => each.taken)), taken.map(({ alone }) => alone)),
  }
  for (const later of [0, 60_000, 90_000, 150_000]) {
    const limiter = sharedLimiter({ client: 60 }, noting)
    takes(limiter, 60)
    await limiter.exchange(begin + later)
  }
  expect(told).toEqual([60_000, 60_000, 30_000, 0])
})

test("newcomers are told of again once the clock was put back", async () => {
  let told = 0
  const noting: RequestCountsPort = { exchange: (taken) => ((told += taken.length), taken.map(({ alone }) => alone)) }
  const limiter = sharedLimiter({ client: 5, senders: 2 }, noting)
  const tells = async (at: number, ...senders: ReadonlyArray<string>) => {
    for (const sender of senders) takes(limiter, 1, at, sender)
    await limiter.exchange(at)
    return told
  }
  expect([await tells(begin, "a", "b"), await tells(begin, "c"), await tells(begin - 1, "d")]).toEqual([2, 2, 3])
})

const limits = fc.integer({ min: 1, max: 40 })
const pause = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 90_000 }))
const end = fc.constantFrom<Ending>("answered", "answered", "lost", "never asked", "reached")

test("one by itself answers as the memory limiter does, whatever its clock and its store do", async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ takes: fc.integer({ min: 1, max: 15 }), pause: fc.integer({ min: -200_000, max: 200_000 }) }) },
    { weight: 6, arbitrary: fc.record({ takes: fc.integer({ min: 1, max: 15 }), pause }) },
    { weight: 4, arbitrary: fc.constantFrom("begin", "answered", "never asked") },
  )
  const property = fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (client, steps) => {
    const counts = slowCounts()
    const [one, model] = [sharedLimiter({ client }, counts), memoryLimiter({ client })]
    let underway: Promise<unknown> | undefined
    let at = begin
    let sender = 0
    for (const each of steps) {
      if (typeof each === "object") {
        at += each.pause
        for (let taken = 0; taken < each.takes; taken++) {
          const from = `sender ${(sender++ >> 3) % 3}`
          expect(one.take("client", from, at)).toBe(model.take("client", from, at))
        }
      } else if (each === "begin") underway ??= one.exchange(at).catch(() => undefined)
      else {
        counts.end(each)
        await underway
        underway = undefined
      }
    }
  })
  await fc.assert(property, { numRuns: runs(2_000) })
})

/** One instance under a property: when it let a request through, and between which of them its exchanges began and ended. */
interface Instance {
  readonly limiter: SharedLimiter
  readonly counts: ReturnType<typeof slowCounts>
  readonly exchanged: Array<readonly [began: number, ended: number]>
  underway: { readonly began: number; readonly over: Promise<boolean> } | undefined
}

/** The most that an instance let through from the beginning of one exchange to the end of the next. */
const mostBetween = (by: number, { exchanged }: Instance, passed: ReadonlyArray<{ readonly by: number }>): number => {
  const began = [0, ...exchanged.map(([from]) => from)]
  const ended = [...exchanged.map(([, to]) => to), passed.length]
  return Math.max(...began.map((from, each) => passed.slice(from, ended[each]).filter((one) => one.by === by).length))
}

test("in no minute more pass than the limit allows one, and what the others let through from one exchange's beginning to the next one's end", async () => {
  const which = fc.nat(2)
  const traffic = { weight: 6, arbitrary: fc.record({ which, takes: fc.integer({ min: 1, max: 30 }), pause }) }
  // Little at once, each told whole: so that next to nothing is beyond the limit.
  const trickle = {
    weight: 60,
    arbitrary: fc.record({ which, takes: fc.integer({ min: 1, max: 3 }), pause: fc.nat(300), told: fc.constant(true) }),
  }
  const beginning = { weight: 4, arbitrary: fc.record({ which }) }
  const ending = { weight: 4, arbitrary: fc.record({ which, end }) }
  const history = fc.oneof(
    fc.array(fc.oneof(traffic, beginning, ending), { maxLength: 80 }),
    fc.array(fc.oneof(trickle, beginning, ending), { maxLength: 120 }),
  )
  let most = 0
  const property = fc.asyncProperty(limits, history, async (client, steps) => {
    const kept = memoryRequestCounts()
    const instances = Array.from({ length: 3 }, (): Instance => {
      const counts = slowCounts(kept)
      return { limiter: sharedLimiter({ client }, counts), counts, exchanged: [], underway: undefined }
    })
    const passed: Array<{ readonly by: number; readonly at: number }> = []
    let at = begin
    for (const each of steps) {
      const instance = instances[each.which]
      if (instance === undefined) continue
      const { limiter, counts, exchanged, underway } = instance
      if ("takes" in each) {
        at += each.pause
        for (const wait of takes(limiter, each.takes, at)) if (wait === 0) passed.push({ by: each.which, at })
        if (!("told" in each) || underway !== undefined) continue
        const over = limiter.exchange(at)
        counts.end("answered")
        await over
        exchanged.push([passed.length, passed.length])
      } else if ("end" in each) {
        counts.end(each.end)
        if (underway === undefined || each.end === "reached") continue
        if (await underway.over) exchanged.push([underway.began, passed.length])
        instance.underway = undefined
      } else if (underway === undefined) {
        const over = limiter.exchange(at).then(
          () => true,
          () => false,
        )
        instance.underway = { began: passed.length, over }
      }
    }
    const untold = instances.map((instance, by) => mostBetween(by, instance, passed))
    const others = untold.reduce((sum, each) => sum + each, 0) - Math.min(...untold)
    let beyond = -Infinity
    for (const [from, { at: earliest }] of passed.entries()) {
      const within = passed.slice(from).filter((one) => one.at <= earliest + minute)
      for (const [count, { at: latest }] of within.entries()) {
        const allowed = client * (1 + (latest - earliest) / minute)
        beyond = Math.max(beyond, count + 1 - allowed - others)
        most = Math.max(most, (count + 1 - allowed) / client)
      }
    }
    expect(beyond).toBeLessThanOrEqual(0.001)
  })
  await fc.assert(property, { numRuns: runs(2_000) })
  // More than one of them alone would have let through: they have been beside each other, or it was no test.
  expect(most).toBeGreaterThan(1)
})
