import { startExchanging } from "@postern/stores"
import { sampleTime } from "@postern/core/testing"
import { afterEach, beforeEach, expect, it, vi } from "vitest"

beforeEach(() => void vi.useFakeTimers({ now: sampleTime * 1000 }))
afterEach(() => void vi.useRealTimers())

/** Exchanges that come to what they are told to, one after the other, and then to nothing; when each was. */
const exchanging = (...outcomes: ReadonlyArray<boolean | Error>) => {
  const begin = Date.now()
  const left = [...outcomes]
  const moments: Array<number> = []
  const failures: Array<unknown> = []
  const exchange = async (millis: number): Promise<boolean> => {
    moments.push(millis - begin)
    const outcome = left.shift() ?? false
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  return { moments, failures, stop: startExchanging({ exchange }, { failed: (error) => failures.push(error) }) }
}

it("counts are exchanged every quarter of a second, and while there is more to tell at once", async () => {
  const { moments, stop } = exchanging(false, true, true, false)
  await vi.advanceTimersByTimeAsync(760)
  expect(moments).toEqual([250, 500, 500, 500, 750])
  await stop()
})

it("a store that cannot is asked again two seconds later, and its failure is told once until it can", async () => {
  const [first, second, third] = ["first", "second", "third"].map((text) => new Error(text))
  if (first === undefined || second === undefined || third === undefined) return expect.fail("no failures")
  const { moments, failures, stop } = exchanging(first, second, false, third)
  await vi.advanceTimersByTimeAsync(4_600)
  expect([moments, failures]).toEqual([
    [250, 2250, 4250, 4500],
    [first, third],
  ])
  await stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(moments.length).toBe(4)
})

it("stopped, it tells what is left, and then nothing more", async () => {
  const { moments, stop } = exchanging(false, true, false)
  await vi.advanceTimersByTimeAsync(300)
  await stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(moments).toEqual([250, 300, 300])
})

it("stopped in the middle of an exchange, it waits for it, and then tells what is left", async () => {
  let asked = 0
  let end: (more: boolean) => void = () => {}
  const exchange = (): Promise<boolean> => (++asked === 1 ? new Promise((resolve) => (end = resolve)) : Promise.resolve(false))
  const stop = startExchanging({ exchange })
  await vi.advanceTimersByTimeAsync(250)
  const stopped = stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toBe(1)
  end(false)
  await stopped
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toBe(2)
})
