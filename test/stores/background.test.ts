import { setImmediate as turn } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { startDelivering, startExchanging, startSweeping } from "@postern/stores"
import { batches } from "../../packages/stores/src/trails/batches.ts"

const forward = async (milliseconds: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(milliseconds)
  for (let each = 0; each < 10; each++) await turn()
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

describe("sweeping in the background", () => {
  test("slices come every 50 ms while there is more, every 15 s else, and every 10 ms once there was more 2,000 times on end", async () => {
    let more = true
    let slices = 0
    const stop = startSweeping({ sweep: () => (slices++, { removed: 0, more }) })
    await forward(49)
    expect(slices).toBe(0)
    await forward(1)
    expect(slices).toBe(1)
    await forward(50)
    expect(slices).toBe(2)
    more = false
    await forward(50)
    expect(slices).toBe(3)
    await forward(14_999)
    expect(slices).toBe(3)
    await forward(1)
    expect(slices).toBe(4)
    stop()
    await forward(60_000)
    expect(slices).toBe(4)
  })

  test("the first look waits as long as is said, and the next ones as ever", async () => {
    let slices = 0
    const stop = startSweeping({ sweep: () => (slices++, { removed: 0, more: true }) }, { begin: 1000 })
    await forward(999)
    expect(slices).toBe(0)
    await forward(1)
    expect(slices).toBe(1)
    await forward(50)
    expect(slices).toBe(2)
    stop()
  })

  test("it hurries after so many slices on end, and no longer once there was nothing to do", async () => {
    let more = true
    let slices = 0
    const stop = startSweeping(
      { sweep: async () => (slices++, { removed: 0, more }) },
      { busy: 100, idle: 1000, behind: { after: 3, pause: 10 } },
    )
    await forward(400)
    expect(slices).toBe(4)
    await forward(10)
    expect(slices).toBe(5)
    more = false
    await forward(10)
    expect(slices).toBe(6)
    more = true
    await forward(1000)
    expect(slices).toBe(7)
    await forward(99)
    expect(slices).toBe(7)
    await forward(1)
    expect(slices).toBe(8)
    stop()
  })

  test("a slice that the end of the process cuts off is no failure that anyone is told of", async () => {
    const failed: Array<unknown> = []
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = startSweeping({ sweep: () => promise }, { busy: 10, failed: (each) => failed.push(each) })
    await forward(10)
    stop()
    reject(new Error("closed"))
    await forward(60_000)
    expect(failed).toEqual([])
  })

  test("a slice that fails is told of and tried again after the long pause; one under way when it stops is the last", async () => {
    const failed: Array<unknown> = []
    const error = new Error("locked")
    let fails = true
    let slices = 0
    const stop = startSweeping(
      { sweep: () => (slices++, fails ? Promise.reject(error) : Promise.resolve({ removed: 1, more: true })) },
      { busy: 10, idle: 500, failed: (each) => failed.push(each) },
    )
    await forward(10)
    expect([slices, failed]).toEqual([1, [error]])
    fails = false
    await forward(499)
    expect(slices).toBe(1)
    await forward(1)
    expect(slices).toBe(2)
    stop()
    await forward(5000)
    expect(slices).toBe(2)
  })
})

test("R5: a slice that never ends is told of after a minute, and sweeping goes on", async () => {
  const failed: Array<unknown> = []
  let slices = 0
  const sweep = () => (++slices === 1 ? new Promise<never>(() => undefined) : { removed: 0, more: true })
  const stop = startSweeping({ sweep }, { busy: 10, idle: 500, failed: (error) => failed.push(String(error)) })
  await forward(60_009)
  expect([slices, failed]).toEqual([1, []])
  await forward(1)
  expect(failed).toEqual(["Error: a slice did not end within 60000 ms"])
  await forward(510)
  expect(slices).toBe(3)
  stop()
})

describe("background work of which nobody is told", () => {
  test("a sweep that fails comes again, and one that ends after it was stopped is the last", async () => {
    let slices = 0
    let end = (): void => undefined
    const sweep = () => {
      if (++slices === 1) throw new Error("locked")
      return new Promise<{ readonly removed: number; readonly more: boolean }>(
        (resolve) => (end = () => resolve({ removed: 0, more: true })),
      )
    }
    const stop = startSweeping({ sweep }, { busy: 10, idle: 500 })
    await forward(510)
    expect(slices).toBe(2)
    stop()
    end()
    await forward(5000)
    expect(slices).toBe(2)
  })

  test("a sweep that is behind for 2,000 slices on end hurries", async () => {
    let slices = 0
    const stop = startSweeping({ sweep: () => (slices++, { removed: 0, more: true }) })
    await forward(2001 * 50)
    expect(slices).toBe(2001)
    await forward(100)
    expect(slices).toBe(2011)
    stop()
  })

  test("counts that cannot be exchanged are tried again, and those of a process that stops at once are told", async () => {
    let asked = 0
    const stop = startExchanging({ exchange: () => (++asked === 1 ? Promise.reject(new Error("away")) : Promise.resolve(false)) })
    await forward(2250)
    expect(asked).toBe(2)
    await stop()
    let told = 0
    await startExchanging({ exchange: async () => (told++, false) })()
    expect(told).toBe(1)
  })
})

describe("batches", () => {
  /** Batches whose writing can be made to fail or to take its time. */
  const writing = (write?: (rows: ReadonlyArray<number>) => void | Promise<void>) => {
    const written: Array<ReadonlyArray<number>> = []
    const queue = batches<number, number>(
      (item) => {
        if (item === 13) throw new Error("cannot be told")
        return item === 14 ? undefined : item
      },
      (rows) => (written.push(rows), write?.(rows)),
    )
    return { queue, written, all: () => written.flat() }
  }
  const numbers = (count: number, from = 100) => Array.from({ length: count }, (_, at) => from + at)

  test("what is added is written together after 200 ms, or at once when 200 wait", async () => {
    const { queue, written } = writing()
    queue.add(1)
    await forward(100)
    queue.add(2)
    await forward(99)
    expect(written).toEqual([])
    await forward(1)
    expect(written).toEqual([[1, 2]])
    for (const each of numbers(199)) queue.add(each)
    await forward(0)
    expect(written.length).toBe(1)
    queue.add(7)
    await forward(0)
    expect(written.map(({ length }) => length)).toEqual([2, 200])
  })

  test("more than a batch is written in several, one right after the other", async () => {
    const { queue, written } = writing()
    for (const each of numbers(450)) queue.add(each)
    await forward(1)
    await forward(1)
    await forward(1)
    expect([written.map(({ length }) => length), queue.dropped()]).toEqual([[200, 200, 50], 0])
  })

  test("of more than 2,000 that wait the oldest are dropped, and what cannot be told is dropped when its batch is written", async () => {
    const { queue, all } = writing()
    for (const each of [...numbers(2003), 13, 14]) queue.add(each)
    expect(queue.dropped()).toBe(5)
    void queue.flush()
    expect([queue.dropped(), all().length, all()[0]]).toEqual([7, 1998, 105])
  })

  test("a batch that cannot be written stays, is tried again two seconds later, and is not dropped", async () => {
    let fails = true
    for (const how of ["throw", "reject"]) {
      fails = true
      const { queue, written } = writing(() => {
        if (!fails) return how === "throw" ? undefined : Promise.resolve()
        if (how === "throw") throw new Error("full")
        return Promise.reject(new Error("full"))
      })
      queue.add(1)
      await forward(200)
      expect(written.length).toBe(1)
      await forward(1999)
      expect(written.length).toBe(1)
      fails = false
      await forward(1)
      expect([written, queue.dropped()]).toEqual([[[1], [1]], 0])
      await forward(10_000)
      expect(written.length).toBe(2)
    }
  })

  test("a flush writes all there is, joins a batch under way, and ends where one cannot be written", async () => {
    let end = (): void => undefined
    const slow = writing(() => new Promise<void>((resolve) => (end = resolve)))
    slow.queue.add(1)
    await forward(200)
    slow.queue.add(2)
    const flushed = Promise.resolve(slow.queue.flush()).then(() => "flushed")
    await forward(0)
    expect(slow.written, "nothing is written twice").toEqual([[1]])
    end()
    await forward(0)
    expect(slow.written).toEqual([[1], [2]])
    end()
    expect(await flushed).toBe("flushed")
    const broken = writing(() => {
      throw new Error("full")
    })
    broken.queue.add(1)
    expect(broken.queue.flush()).toBeUndefined()
    const rejecting = writing(() => Promise.reject(new Error("full")))
    rejecting.queue.add(1)
    await rejecting.queue.flush()
    expect([broken.written.length, rejecting.written.length]).toEqual([1, 1])
    const plain = writing()
    for (const each of numbers(201)) plain.queue.add(each)
    void plain.queue.flush()
    expect(plain.all().length).toBe(201)
    expect(plain.queue.flush()).toBeUndefined()
  })
})

describe("background work that cannot begin names the arguments that are wrong", () => {
  const [list, commit] = [async () => [], async () => "Committed" as const]

  const refusal = (begin: () => unknown): string => {
    try {
      begin()
    } catch (error) {
      return String(error)
    }
    return "it began"
  }

  test("the outbox: stores without a token store, and then each member of it, of the handlers and of the policy", () => {
    const handlers = () => ({})
    expect(
      [
        [{}, { handlers }],
        [{ tokens: { list } }, { handlers: 1, policy: { attempts: 3 } }],
        [{ tokens: { list, commit } }, {}],
        [{ tokens: { list, commit } }, { handlers, together: "8" }],
      ].map(([stores, options]) => refusal(() => startDelivering(stores as never, options as never))),
    ).toEqual([
      "TypeError: startDelivering: stores.tokens: is missing, and must be an object (Stores)",
      [
        "TypeError: startDelivering: ",
        "stores.tokens.commit: is missing, and must be a function (TokenStorePort)",
        "handlers: is a number, and must be an object",
        ...["lease", "first", "longest", "most", "keepDead"].map((name) => `policy.${name}: is missing, and must be a number`),
        "policy.attempts: is no member of it",
      ].join("\n- "),
      "TypeError: startDelivering: handlers: is missing, and must be an object",
      "TypeError: startDelivering: together: is a string, and must be a number",
    ])
  })

  test("sweeping and exchanging counts: the store and the times", () => {
    expect([
      refusal(() => startSweeping({} as never, { idle: "x" } as never)),
      refusal(() => startSweeping({ sweep: async () => ({}) } as never, { behind: { after: "x" } } as never)),
      refusal(() => startExchanging({} as never, { every: "x" } as never)),
    ]).toEqual([
      "TypeError: startSweeping: \n- stores.sweep: is missing, and must be a function (Stores)\n- idle: is a string, and must be a number",
      "TypeError: startSweeping: \n- behind.pause: is missing, and must be a number\n- behind.after: is a string, and must be a number",
      "TypeError: startExchanging: \n- limiter.exchange: is missing, and must be a function (SharedLimiter)\n- every: is a string, and must be a number",
    ])
  })

  test("a clock that counts no milliseconds since 1970 exchanges nothing, and is told of; the first such time is in 1973", async () => {
    const [failures, exchanged]: [Array<unknown>, Array<number>] = [[], []]
    const exchange = async (at: number): Promise<boolean> => {
      exchanged.push(at)
      return false
    }
    for (const at of ["100000000000", 99_999_999_999, 100_000_000_000]) {
      const stop = startExchanging({ exchange }, { millis: () => at as number, failed: (error) => void failures.push(String(error)) })
      await forward(300)
      await stop().catch(() => undefined)
    }
    expect([failures.filter((each, index) => failures.indexOf(each) === index), [...new Set(exchanged)]]).toEqual([
      [
        "TypeError: startExchanging: millis: answered 100000000000, and must count milliseconds since 1970",
        "TypeError: startExchanging: millis: answered 99999999999, and must count milliseconds since 1970",
      ],
      [100_000_000_000],
    ])
  })
})
