import { describe, expect, it, vi } from "vitest"
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
  it("are read once for any number of questions, and again a quarter of a second later", async () => {
    const rows: Array<Attempts> = []
    const { live, find, recent } = reads(rows)
    for (let each = 0; each < 100; each++) expect(await recent("one", 1)).toBeUndefined()
    expect([live.mock.calls.length, find.mock.calls.length]).toEqual([1, 0])
    rows.push(row("one"))
    await vi.waitFor(() => expect(recent("one", 1)).toEqual(row("one")), { timeout: 2_000, interval: 10 })
    expect(live.mock.calls.length).toBe(2)
  })

  it("are read by their keys where more are counted than are kept", () => {
    const { live, find, recent } = reads(Array.from({ length: 500 }, (_, at) => row(`key ${at}`)))
    expect(recent("key 7", 1)).toEqual(row("key 7"))
    expect(recent("another", 1)).toBeUndefined()
    expect([live.mock.calls.length, find.mock.calls.length]).toEqual([1, 2])
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
