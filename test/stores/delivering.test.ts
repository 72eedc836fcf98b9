import { memoryTokenStore } from "@postern/core/memory"
import { type Command, addMessage, claimMessage, outbox, type OutboxMessage } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { sampleLocator } from "@postern/core/testing"
import { type DeliveringOptions, type DeliveryHandler, startDelivering } from "@postern/stores"
import { setImmediate as turn } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"

const at = 1_800_000_000
const policy = { lease: 60, first: 10, longest: 100, most: 2, keepDead: 500 }

/** Lets everything happen that waits for no timer. */
const settle = async (): Promise<void> => {
  for (let each = 0; each < 30; each++) await turn()
}
const forward = async (milliseconds: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await settle()
}

/** A worker on a store in memory that notes what it is asked. */
const working = (handlers: DeliveringOptions["handlers"], more: Partial<DeliveringOptions> = {}) => {
  const store = memoryTokenStore()
  const asked = { lists: 0, commits: [] as Array<ReadonlyArray<Command>> }
  const failures: Array<unknown> = []
  const deaths: Array<unknown> = []
  const clock = { now: at }
  const faults: { list?: Error | Promise<never>; commit?: Error | Promise<never> } = {}
  const tokens: Pick<TokenStorePort, "list" | "commit"> = {
    list: async (kind, name, given) => {
      asked.lists++
      if (faults.list !== undefined) throw await faults.list
      return store.list(kind, name, given)
    },
    commit: async (commands) => {
      asked.commits.push(commands)
      if (faults.commit !== undefined) throw await faults.commit
      return store.commit(commands)
    },
  }
  const start = () => {
    const worker = startDelivering(
      { tokens },
      { handlers, policy, now: () => clock.now, failed: (error) => failures.push(error), died: (...told) => deaths.push(told), ...more },
    )
    onTestFinished(() => worker.stop())
    return worker
  }
  const write = (count: number, kind = "letter", from = 0) =>
    store.commit(Array.from({ length: count }, (_, each) => addMessage(sampleLocator(from + each), kind, { number: from + each }, at)))
  const find = (each: number) => store.find(outbox, { locator: sampleLocator(each) }) as OutboxMessage | undefined
  return { start, write, find, asked, failures, deaths, clock, faults, store }
}

/** A handler that ends when told to. */
const held = () => {
  const begun: Array<number> = []
  const ends = new Map<number, { readonly resolve: () => void; readonly reject: (error: unknown) => void; readonly signal: AbortSignal }>()
  const handler: DeliveryHandler = ({ payload }, signal) =>
    new Promise<void>((resolve, reject) => {
      const each = Number(payload["number"])
      begun.push(each)
      ends.set(each, { resolve, reject, signal })
    })
  return { handler, begun, ends }
}

describe("a worker of the outbox (architecture law 13)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
  afterEach(() => void vi.useRealTimers())

  test("handlers may change while the process serves: the next look takes those of then, and new kinds with them", async () => {
    const [first, second, postcards] = [vi.fn<DeliveryHandler>(), vi.fn<DeliveryHandler>(), vi.fn<DeliveryHandler>()]
    let handlers: Readonly<Record<string, DeliveryHandler>> = { letter: first }
    const w = working(() => handlers)
    const worker = w.start()
    await w.write(1)
    await w.write(1, "postcard", 1)
    worker.wake()
    await settle()
    handlers = { letter: second, postcard: postcards }
    await w.write(1, "letter", 2)
    worker.wake()
    await settle()
    expect([first, second, postcards].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1])
  })

  test("whoever wrote messages waits until each had an attempt, well or not, or for so long and no longer", async () => {
    const { handler, begun, ends } = held()
    const w = working({ letter: handler })
    const worker = w.start()
    await settle()
    const ended = (messages: ReadonlyArray<number>, milliseconds: number) => {
      const state = { done: false }
      void worker
        .attempted(
          messages.map((each) => ({ locator: sampleLocator(each) })),
          milliseconds,
        )
        .then(() => (state.done = true))
      return state
    }
    await w.write(2)
    const both = ended([0, 1], 1000)
    await settle()
    expect([begun, both.done], "it was woken").toEqual([[0, 1], false])
    ends.get(0)?.resolve()
    await settle()
    expect(both.done).toBe(false)
    ends.get(1)?.reject(new Error("away"))
    await settle()
    expect(both.done).toBe(true)
    await w.write(1, "letter", 2)
    const late = ended([2], 1000)
    await forward(999)
    expect(late.done).toBe(false)
    await forward(1)
    expect(late.done).toBe(true)
    ends.get(2)?.resolve()
    await w.write(1, "letter", 3)
    const stopped = ended([3], 1000)
    await settle()
    await worker.stop()
    await settle()
    expect(stopped.done, "the process ends").toBe(true)
  })

  test("delivers what is due, counts it, and looks again after its pause or when it is woken", async () => {
    const delivered: Array<unknown> = []
    const w = working({ letter: async ({ payload }) => void delivered.push(payload["number"]) })
    await w.write(3)
    const worker = w.start()
    await settle()
    expect([delivered.map(Number).toSorted((left, right) => left - right), worker.load()]).toEqual([
      [0, 1, 2],
      { due: expect.any(Number), running: 0, delivered: 3, failed: 0, dead: 0 },
    ])
    expect(w.find(0)).toBeUndefined()
    await w.write(1, "letter", 7)
    await forward(4999)
    expect(delivered.length).toBe(3)
    await forward(1)
    expect(delivered).toContain(7)
    await w.write(1, "letter", 8)
    worker.wake()
    await settle()
    expect(delivered).toContain(8)
    expect(w.failures).toEqual([])
  })

  test("without a handler nobody looks, and kinds without one are left alone", async () => {
    const none = working({})
    none.start()
    await forward(20_000)
    expect(none.asked.lists).toBe(0)
    const w = working({ letter: async () => undefined })
    await w.write(1, "unknown")
    w.start()
    await settle()
    expect(w.find(0)).toMatchObject({ attempts: 0, claimedBy: undefined })
  })

  test("eight are delivered at once and two to one destination, which is the kind where none is named", async () => {
    const { handler, begun, ends } = held()
    const w = working({ letter: handler, parcel: handler })
    await w.write(5)
    await w.write(5, "parcel", 10)
    const worker = w.start()
    await settle()
    expect(begun.length).toBe(4)
    expect(worker.load()).toMatchObject({ running: 4, due: 10 })
    ends.get(begun[0] ?? -1)?.resolve()
    await settle()
    expect(begun.length, "a place that comes free is taken at once").toBe(5)
    const many = held()
    const wide = working({ letter: many.handler }, { destination: ({ locator }) => locator })
    await wide.write(20)
    wide.start()
    await settle()
    expect(many.begun.length).toBe(8)
  })

  test("a message whose destination cannot be told goes to its kind's, and is tried", async () => {
    const { handler, begun } = held()
    const destination = (): string => {
      throw new Error("no host")
    }
    const w = working({ letter: handler, parcel: handler }, { destination, perDestination: 3 })
    await w.write(5)
    await w.write(5, "parcel", 10)
    w.start()
    await settle()
    expect([begun.length, w.failures]).toEqual([6, []])
  })

  test("a destination where an attempt failed has one place until it is well again", async () => {
    const { handler, begun, ends } = held()
    const w = working({ letter: handler })
    await w.write(8)
    w.start()
    await settle()
    ends.get(begun[0] ?? -1)?.reject(new Error("down"))
    await settle()
    expect(begun.length, "one is under way still").toBe(2)
    ends.get(begun[1] ?? -1)?.resolve()
    await settle()
    expect(begun.length, "it is well again").toBe(4)
  })

  test("nobody need be told of failures and of messages that are given up, and the clock is the system's where none is given", async () => {
    const store = memoryTokenStore()
    const now = Math.floor(Date.now() / 1000)
    store.commit([addMessage(sampleLocator(0), "letter", {}, now), addMessage(sampleLocator(1), "letter", {}, now + 1000)])
    let fails = true
    let tries = 0
    const tokens: Pick<TokenStorePort, "list" | "commit"> = {
      list: async (kind, name, given) => (fails ? Promise.reject(new Error("away")) : store.list(kind, name, given)),
      commit: async (commands) => store.commit(commands),
    }
    const letter = async (): Promise<void> => {
      tries++
      throw new Error("no")
    }
    const worker = startDelivering({ tokens }, { handlers: { letter }, policy: { ...policy, most: 1 }, idle: 50 })
    onTestFinished(() => worker.stop())
    await settle()
    fails = false
    await forward(50)
    expect([tries, worker.load()]).toEqual([1, expect.objectContaining({ dead: 1, failed: 1 })])
  })

  test("a failure is kept with its cause, as fetch throws no reason of its own", async () => {
    const cause = new Error("getaddrinfo ENOTFOUND app.example")
    const w = working({ letter: () => Promise.reject(new TypeError("fetch failed", { cause })) })
    await w.write(1)
    w.start()
    await settle()
    expect(w.find(0)).toMatchObject({ lastFailure: "fetch failed: getaddrinfo ENOTFOUND app.example" })
  })

  test("one that fails is tried again later with its failure, and given up after the last attempt, which is told", async () => {
    let tries = 0
    const w = working({ letter: async () => Promise.reject(tries++ === 0 ? new Error("first") : "second") })
    await w.write(1)
    const worker = w.start()
    await settle()
    expect(w.find(0)).toMatchObject({ attempts: 1, lastFailure: "first", claimedBy: undefined })
    expect((w.find(0)?.dueAt ?? 0) - at).toBeGreaterThanOrEqual(5)
    expect((w.find(0)?.dueAt ?? 0) - at).toBeLessThanOrEqual(10)
    expect(worker.load()).toMatchObject({ failed: 1, dead: 0, delivered: 0 })
    w.clock.now += 10
    worker.wake()
    await settle()
    expect([tries, w.deaths.length]).toEqual([2, 1])
    expect(w.deaths[0]).toEqual([expect.objectContaining({ locator: sampleLocator(0) }), "second"])
    expect(worker.load()).toMatchObject({ failed: 2, dead: 1 })
    expect(w.find(0)).toMatchObject({ diedAt: at + 10, lastFailure: "second" })
    worker.wake()
    await settle()
    expect(tries).toBe(2)
  })

  test("a message whose last claim never ended has no attempt left: it is given up without another", async () => {
    let tries = 0
    const w = working({ letter: async () => void tries++ })
    await w.write(1)
    const { locator } = w.find(0) as OutboxMessage
    w.store.commit([claimMessage(locator, 0, "a process that died", at, at)])
    w.store.commit([claimMessage(locator, 1, "another", at, at)])
    w.clock.now += 100
    w.start()
    await settle()
    expect([tries, w.deaths]).toEqual([0, [[expect.objectContaining({ locator }), "no attempt ended"]]])
  })

  test("a delivery ends after half of its claim at the latest, whatever its handler does, and its signal tells it so", async () => {
    const { handler, ends } = held()
    const w = working({ letter: handler })
    await w.write(1)
    w.start()
    await settle()
    await forward(29_999)
    expect([w.find(0)?.claimedBy === undefined, ends.get(0)?.signal.aborted]).toEqual([false, false])
    await forward(1)
    expect(ends.get(0)?.signal.aborted).toBe(true)
    expect(w.find(0)).toMatchObject({ lastFailure: "not delivered within 30 seconds", claimedBy: undefined })
    ends.get(0)?.reject(new Error("late"))
    await settle()
  })

  test("a claim that another process has is left to it, and a settlement that comes late is not counted", async () => {
    const { handler, ends } = held()
    const w = working({ letter: handler })
    await w.write(1)
    const worker = w.start()
    await settle()
    expect(w.store.commit([claimMessage(sampleLocator(0), 1, "another", at + 999, at + 2000)])).toBe("Committed")
    ends.get(0)?.resolve()
    await settle()
    expect(worker.load()).toMatchObject({ delivered: 0, failed: 0 })
    expect(w.find(0)).toMatchObject({ claimedBy: "another" })
    expect(worker.load().running).toBe(0)
  })

  test("a store that fails is told of, and asked again after the pause", async () => {
    const w = working({ letter: async () => undefined }, { idle: 700 })
    await w.write(1)
    w.faults.list = new Error("list")
    const worker = w.start()
    await settle()
    expect([w.failures, w.asked.lists]).toEqual([[w.faults.list], 1])
    await forward(699)
    expect(w.asked.lists).toBe(1)
    delete w.faults.list
    w.faults.commit = new Error("commit")
    await forward(1)
    expect(w.failures).toContain(w.faults.commit)
    expect([worker.load().running, worker.load().delivered]).toEqual([0, 0])
    const lists = w.asked.lists
    await forward(699)
    expect(w.asked.lists, "no look comes sooner").toBe(lists)
    delete w.faults.commit
    await forward(1)
    expect(worker.load().delivered).toBe(1)
  })

  test("messages for a slow destination that fill a look are put off a quarter of a lease, at most ten times a second, and others come through", async () => {
    const { handler } = held()
    const delivered: Array<unknown> = []
    const w = working(
      {
        letter: (message, signal) =>
          Number(message.payload["number"]) < 500 ? handler(message, signal) : Promise.resolve(void delivered.push(1)),
      },
      { destination: ({ payload }) => (Number(payload["number"]) < 500 ? "slow" : "fast"), slow: 1000 },
    )
    await w.write(150)
    await w.write(1, "letter", 600)
    w.start()
    await settle()
    expect(delivered, "the look sees the hundred that came first").toEqual([])
    await forward(5000)
    await forward(200)
    expect(delivered).toEqual([1])
    const deferrals = w.asked.commits.filter((commands) => commands.length > 1)
    expect(deferrals.length).toBeGreaterThan(0)
    expect(w.find(99)?.dueAt).toBe(at + 15)
    expect(w.find(99)).toMatchObject({ attempts: 0, claimedBy: undefined })
  })

  test.each(["list", "commit"] as const)(
    "architecture law 7: a store whose %s never answers is given up after its time: the worker goes on, and ends",
    async (operation) => {
      const delivered: Array<number> = []
      const w = working({ letter: async ({ payload }) => void delivered.push((payload as { number: number }).number) })
      await w.write(1)
      w.faults[operation] = new Promise<never>(() => undefined)
      const worker = w.start()
      await forward(19_999)
      expect(w.failures).toEqual([])
      await forward(1)
      expect(w.failures.map(String)).toEqual([`PortFailed: TokenStore.${operation}: PortTimedOut: no answer after 20000 ms`])
      delete w.faults[operation]
      // A look at the same moment may have asked once more.
      await forward(25_000)
      expect(delivered).toEqual([0])
      w.faults.list = new Promise<never>(() => undefined)
      worker.wake()
      await settle()
      const stopped = worker.stop()
      await forward(20_000)
      await stopped
    },
  )

  test("stopping breaks deliveries off, gives their claims back without an attempt, and begins nothing more", async () => {
    const { handler, ends, begun } = held()
    const w = working({ letter: handler })
    await w.write(5)
    const worker = w.start()
    await settle()
    await worker.stop()
    expect(begun.length).toBe(2)
    expect([...ends.values()].map(({ signal }) => signal.aborted)).toEqual([true, true])
    for (const each of begun) expect(w.find(each)).toMatchObject({ attempts: 0, claimedBy: undefined, dueAt: at })
    const { lists } = w.asked
    worker.wake()
    await forward(20_000)
    expect([w.asked.lists, begun.length, worker.load()]).toEqual([
      lists,
      2,
      expect.objectContaining({ running: 0, failed: 0, delivered: 0 }),
    ])
  })
})
