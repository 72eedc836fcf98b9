import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { watchOver } from "../../packages/cli/src/workers/heartbeat.ts"
import { together } from "../../packages/cli/src/workers/together.ts"

const times = { every: 2_000, limit: 10_000 }

/** A watch over a process that answers when told to, with a clock that may run ahead of the timers. */
const watched = () => {
  const beats: Array<PromiseWithResolvers<void>> = []
  let hung = 0
  let ahead = 0
  const end = watchOver(
    () => {
      const beat = Promise.withResolvers<void>()
      beats.push(beat)
      return beat.promise
    },
    () => hung++,
    { ...times, now: () => performance.now() + ahead },
  )
  const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds)
  return { beats, hung: () => hung, end, pass, suspend: (milliseconds: number) => void (ahead += milliseconds) }
}

describe("the watch over the event loop of a worker (docs/operating.md, More cores)", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("asks again two seconds after each answer, one beat at a time", async () => {
    const { beats, hung, pass } = watched()
    await pass(times.every)
    expect(beats).toHaveLength(1)
    await pass(times.limit - 1)
    expect(beats).toHaveLength(1)
    beats[0]?.resolve()
    await pass(times.every - 1)
    expect(beats).toHaveLength(1)
    await pass(1)
    expect([beats.length, hung()]).toEqual([2, 0])
  })

  it("tells once of a worker that has not answered for ten seconds", async () => {
    const { beats, hung, pass } = watched()
    await pass(times.every + times.limit - 1)
    expect(hung()).toBe(0)
    await pass(2)
    expect(hung()).toBe(1)
    await pass(10 * times.limit)
    expect([beats.length, hung()]).toEqual([1, 1])
  })

  it("waits once more where the watching process did not run itself, as on a machine that was suspended", async () => {
    const { beats, hung, pass, suspend } = watched()
    await pass(times.every)
    suspend(3_600_000)
    await pass(times.limit + 1)
    expect(hung()).toBe(0)
    beats[0]?.resolve()
    await pass(times.every + 1)
    expect([beats.length, hung()]).toEqual([2, 0])
    await pass(times.limit + 1)
    expect(hung()).toBe(1)
  })

  it("goes on after a beat that failed, and tells of a worker that hangs later", async () => {
    const { beats, hung, pass } = watched()
    await pass(times.every)
    beats[0]?.reject(new Error("not sent"))
    await pass(times.every)
    expect([beats.length, hung()]).toEqual([2, 0])
    await pass(times.limit + 1)
    expect(hung()).toBe(1)
  })

  it("ends when it is told to, whatever becomes of the last beat", async () => {
    const [one, two] = [watched(), watched()]
    await one.pass(times.every)
    one.end()
    two.end()
    two.beats[0]?.reject(new Error("a worker ended"))
    await one.pass(10 * times.limit)
    expect([one.beats.length, one.hung(), two.beats.length, two.hung()]).toEqual([1, 0, 1, 0])
  })
})

it("metrics that several ask for at once are read once (docs/operating.md, More cores)", async () => {
  const reads: Array<PromiseWithResolvers<string>> = []
  const read = together(() => {
    const each = Promise.withResolvers<string>()
    reads.push(each)
    return each.promise
  })
  const asked = [read(), read(), read()]
  reads[0]?.resolve("all")
  expect([await Promise.all(asked), reads.length]).toEqual([["all", "all", "all"], 1])
  const later = read()
  reads[1]?.reject(new Error("late"))
  await expect(later).rejects.toThrow("late")
  void read().catch(() => undefined)
  expect(reads).toHaveLength(3)
})
