import type { OutboxMessage } from "@postern/core/model"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type Underway, type Waiting, noDestinations } from "../../packages/stores/src/destinations.ts"
import { runs } from "../tiers/tier.ts"

const places = { together: 8, perDestination: 2, slow: 1000 }
const waitingFor = (to: string, kind = "letter", dueAt = 0): Waiting => ({ message: { kind, dueAt } as OutboxMessage, to })
const under = (...to: ReadonlyArray<string>): ReadonlyArray<Underway> => to.map((each) => ({ to: each, since: performance.now() }))

/** Takes places until none is left, and names the destinations and kinds in their order. */
const served = (
  destinations: ReturnType<typeof noDestinations>,
  waiting: ReadonlyArray<Waiting>,
  running: ReadonlyArray<Underway> = [],
) => {
  const left = new Set(waiting)
  const taken: Array<Waiting> = []
  for (;;) {
    const next = destinations.next(left, [...running, ...under(...taken.map(({ to }) => to))])
    if (next === undefined) return taken
    taken.push(next)
  }
}
/** The destinations of messages that are delivered one at a time, so many of them. */
const inTurn = (destinations: ReturnType<typeof noDestinations>, waiting: Set<Waiting>, count: number) =>
  Array.from({ length: count }, () => destinations.next(waiting, []))

describe("places of destinations (architecture law 13)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  test("no more messages are taken than there are places, nor more of one destination than it has", () => {
    const many = Array.from({ length: 20 }, () => waitingFor("a"))
    expect(served(noDestinations(places), many).length).toBe(2)
    const each = ["a", "b", "c", "d", "e"].flatMap((to) => [waitingFor(to), waitingFor(to), waitingFor(to)])
    const taken = served(noDestinations(places), each).map(({ to }) => to)
    expect(taken).toEqual(["a", "b", "c", "d", "e", "a", "b", "c"])
    expect(served(noDestinations(places), many, under("b", "b", "c", "c", "d", "d", "e")).length).toBe(1)
    expect(served(noDestinations(places), many, under("b", "b", "c", "c", "d", "d", "e", "e")).length).toBe(0)
    expect(served(noDestinations(places), [])).toEqual([])
  })

  test("a message that is taken waits no longer, and the others do", () => {
    const [first, second] = [waitingFor("a"), waitingFor("a")]
    const waiting = new Set([first, second])
    expect(noDestinations(places).next(waiting, [])).toBe(first)
    expect([...waiting]).toEqual([second])
  })

  test("the destination with the fewest deliveries comes first, then the one served longest ago, then the message that is due first", () => {
    const destinations = noDestinations(places)
    expect(destinations.next(new Set([waitingFor("a"), waitingFor("b")]), under("a"))?.to).toBe("b")
    const both = new Set([...Array.from({ length: 9 }, () => waitingFor("a")), ...Array.from({ length: 9 }, () => waitingFor("b"))])
    expect(inTurn(destinations, both, 4).map((each) => each?.to)).toEqual(["a", "b", "a", "b"])
    const due = new Set([waitingFor("z", "letter", 9), waitingFor("z", "letter", 7), waitingFor("z", "letter", 8)])
    expect(inTurn(destinations, due, 3).map((each) => each?.message.dueAt)).toEqual([7, 8, 9])
  })

  test("at one destination the kinds of messages take turns, however many one has, and earlier ones come first within a kind", () => {
    const many = Array.from({ length: 10 }, (_, at) => waitingFor("a", "many", at))
    const few = [waitingFor("a", "few", 50), waitingFor("a", "few", 40)]
    const order = inTurn(noDestinations(places), new Set([...many, ...few]), 5).map(
      (each) => `${each?.message.kind} ${each?.message.dueAt}`,
    )
    expect(order).toEqual(["many 0", "few 40", "many 1", "few 50", "many 2"])
    const elsewhere = noDestinations(places)
    inTurn(elsewhere, new Set([waitingFor("b", "many")]), 1)
    expect(
      inTurn(elsewhere, new Set([waitingFor("a", "few", 9), waitingFor("a", "many", 1)]), 1)[0]?.message.kind,
      "another's turn counts for it alone",
    ).toBe("many")
  })

  test("a destination that failed has one place and comes after the others; one that is well again is like any other", () => {
    const destinations = noDestinations(places)
    destinations.next(new Set([waitingFor("z")]), [])
    destinations.ended("a", false)
    const waiting = () => [waitingFor("a"), waitingFor("a"), waitingFor("b"), waitingFor("b"), waitingFor("b")]
    expect(served(destinations, waiting()).map(({ to }) => to)).toEqual(["b", "b", "a"])
    destinations.ended("a", true)
    expect(
      served(destinations, waiting())
        .map(({ to }) => to)
        .sort(),
    ).toEqual(["a", "a", "b", "b"])
  })

  test("destinations that failed have half of the places together, rounded up", () => {
    for (const [together, most] of [
      [8, 4],
      [5, 3],
      [1, 1],
    ] as const) {
      const destinations = noDestinations({ ...places, together })
      const hanging = ["a", "b", "c", "d", "e", "f"]
      for (const to of hanging) destinations.ended(to, false)
      expect(
        served(
          destinations,
          hanging.map((to) => waitingFor(to)),
        ).length,
      ).toBe(most)
    }
  })

  test("each eighth turn may be one that failed before, however much the others have to do", () => {
    const destinations = noDestinations(places)
    destinations.ended("bad", false)
    const waiting = new Set([
      ...Array.from({ length: 40 }, () => waitingFor("good")),
      waitingFor("bad"),
      waitingFor("bad"),
      waitingFor("bad"),
    ])
    const order = inTurn(destinations, waiting, 17).map((each) => each?.to)
    expect(order.flatMap((to, at) => (to === "bad" ? [at] : []))).toEqual([8, 16])
  })

  test("a destination is slow that failed, or all of whose places have been taken for a second", () => {
    const destinations = noDestinations(places)
    const running = [...under("a", "a", "b"), ...under("c")]
    expect(["a", "b", "c", "d"].map((to) => destinations.isSlow(to, running))).toEqual([false, false, false, false])
    vi.advanceTimersByTime(999)
    expect(destinations.isSlow("a", running)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(["a", "b", "c"].map((to) => destinations.isSlow(to, running))).toEqual([true, false, false])
    expect(destinations.isSlow("a", [...under("a"), ...running.slice(0, 1)]), "one of them has just begun").toBe(false)
    destinations.ended("b", false)
    expect(destinations.isSlow("b", [])).toBe(true)
    destinations.ended("b", true)
    expect(destinations.isSlow("b", [])).toBe(false)
  })

  test("a thousand that failed are remembered, and the first of them is forgotten first", () => {
    const destinations = noDestinations(places)
    for (let at = 0; at < 1001; at++) destinations.ended(`host ${at}`, false)
    expect([0, 1, 1000].map((at) => destinations.isSlow(`host ${at}`, []))).toEqual([false, true, true])
    destinations.ended("host 1", false)
    destinations.ended("another", false)
    expect(
      ["host 1", "host 2"].map((to) => destinations.isSlow(to, [])),
      "one that failed again is the latest",
    ).toEqual([true, false])
  })
})

describe("fairness of places (architecture law 13)", () => {
  test("whatever waits and whoever fails: bounds hold, no place stays free that may be taken, and nobody well waits for one that failed", () => {
    const to = fc.constantFrom("a", "b", "c", "d")
    const act = fc.oneof(
      fc.record({ does: fc.constant("wait" as const), to, kind: fc.constantFrom("x", "y") }),
      fc.record({ does: fc.constant("end" as const), which: fc.nat(7), isWell: fc.boolean() }),
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(act, { maxLength: 60 }),
        (together, perDestination, acts) => {
          const destinations = noDestinations({ together, perDestination, slow: 1000 })
          const failing = new Set<string>()
          const waiting = new Set<Waiting>()
          const running: Array<Underway> = []
          let turn = 0
          const mayBegin = (each: string): boolean => {
            const own = running.filter((one) => one.to === each).length
            if (!failing.has(each)) return own < perDestination
            return own === 0 && running.filter((one) => failing.has(one.to)).length < Math.ceil(together / 2)
          }
          for (const each of acts) {
            if (each.does === "wait") waiting.add(waitingFor(each.to, each.kind))
            else {
              const [ended] = running.splice(each.which % Math.max(1, running.length), 1)
              if (ended !== undefined) {
                destinations.ended(ended.to, each.isWell)
                failing.delete(ended.to)
                if (!each.isWell) failing.add(ended.to)
              }
            }
            for (;;) {
              const before = [...waiting].filter((one) => mayBegin(one.to))
              const next = destinations.next(waiting, running)
              if (next === undefined) {
                expect(running.length === together || before.length === 0).toBe(true)
                break
              }
              expect(before).toContain(next)
              expect(running.length).toBeLessThan(together)
              const fewest = (all: ReadonlyArray<Waiting>) =>
                Math.min(...all.map((one) => running.filter((other) => other.to === one.to).length))
              if (turn % 8 !== 0) {
                const well = before.filter((one) => !failing.has(one.to))
                if (well.length > 0) expect(failing.has(next.to)).toBe(false)
                expect(running.filter((other) => other.to === next.to).length).toBe(fewest(well.length > 0 ? well : before))
              }
              turn++
              running.push({ to: next.to, since: 0 })
            }
          }
        },
      ),
      { numRuns: runs(1000) },
    )
  })

  test("with places for all, no destination waits for more turns than there are destinations", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { minLength: 10, maxLength: 40 }), (messages) => {
        const destinations = noDestinations(places)
        const waiting = new Set(messages.map((to) => waitingFor(String(to))))
        const since = new Map<string, number>()
        for (let turn = 0; waiting.size > 0; turn++) {
          const next = destinations.next(waiting, [])
          if (next !== undefined) since.set(next.to, turn)
          for (const { to } of waiting) expect(turn - (since.get(to) ?? -1)).toBeLessThanOrEqual(5)
        }
      }),
      { numRuns: runs(100) },
    )
  })
})
