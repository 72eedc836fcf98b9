import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Attempts } from "../../packages/core/src/model/index.ts"
import { recentAttempts } from "../../packages/stores/src/rows/recentAttempts.ts"

const row = (key: string): Attempts => ({ key, count: 2, resetAt: 100 })

/** Reads of a table that changes, and how often each was asked for. */
const reads = (rows: Array<Attempts>) => {
  const live = vi.fn((_: number, most: number): ReadonlyArray<Attempts> => rows.slice(0, most))
  const find = vi.fn((key: string): Attempts | undefined => rows.find((each) => each.key === key))
  return { live, find, recent: recentAttempts({ live, find }) }
}

describe("attempts from memory (RFC 6749 §2.3.1)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  it("are read once for any number of questions, and again a quarter of a second later", async () => {
    const rows: Array<Attempts> = []
    const { live, find, recent } = reads(rows)
    for (let each = 0; each < 100; each++) expect(await recent("one", 1)).toBeUndefined()
    expect([live.mock.calls.length, find.mock.calls.length]).toEqual([1, 0])
    rows.push(row("one"))
    vi.advanceTimersByTime(249)
    expect(await recent("one", 1)).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(await recent("one", 2)).toEqual(row("one"))
    expect(live.mock.calls).toEqual([
      [1, 500],
      [2, 500],
    ])
  })

  it("are read by their keys where more are counted than are kept", () => {
    const { live, find, recent } = reads(Array.from({ length: 500 }, (_, at) => row(`key ${at}`)))
    expect(recent("key 7", 1)).toEqual(row("key 7"))
    expect(recent("another", 1)).toBeUndefined()
    expect([live.mock.calls.length, find.mock.calls.length]).toEqual([1, 2])
  })

  it("are kept in memory where there are fewer than that", () => {
    const { live, find, recent } = reads(Array.from({ length: 499 }, (_, at) => row(`key ${at}`)))
    expect([recent("key 7", 1), recent("another", 1)]).toEqual([row("key 7"), undefined])
    expect([live.mock.calls.length, find.mock.calls.length]).toEqual([1, 0])
  })

  it("that cannot be read are asked for again by the next question", async () => {
    let fails = true
    const live = async (): Promise<ReadonlyArray<Attempts>> => (fails ? Promise.reject(new Error("away")) : [])
    const recent = recentAttempts({ live, find: () => undefined })
    await expect(recent("one", 1)).rejects.toThrow("away")
    fails = false
    expect(await recent("one", 1)).toBeUndefined()
  })
})
