import type { RequestCountsPort, TakenRequests } from "../ports/index.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
import { sampleTime } from "./rows.ts"

const it = contractCase<RequestCountsPort>

const now = sampleTime * 1000
const minute = 60_000

/** Requests that took `taken` milliseconds of a bucket, by default all of them now. */
const took = (key: string, taken: number, alone = now + taken): TakenRequests => ({ key, taken, alone })

/** The waits for a bucket after each of several consecutive exchanges, in milliseconds from now. */
const waits = async (
  counts: RequestCountsPort,
  ...exchanges: ReadonlyArray<readonly [told: TakenRequests, millis?: number]>
): Promise<ReadonlyArray<number>> => {
  const answers: Array<number> = []
  for (const [told, millis = now] of exchanges) answers.push(...(await counts.exchange([told], millis)).map((fullAt) => fullAt - now))
  return answers
}

/** The cases that every implementation which counts requests for several processes must pass. */
export const requestCountsContract: ReadonlyArray<ContractCase<RequestCountsPort>> = [
  it("what each takes is added to what all took, to the fraction of a millisecond", async (counts) => {
    expectSame(await waits(counts, [took("a", 100)], [took("a", 0.25)], [took("a", 30_000)]), [100, 100.25, 30_100.25], "waits")
  }),
  it("a bucket that refilled meanwhile is not fuller than full", async (counts) => {
    const later = now + 5000
    expectSame(await waits(counts, [took("a", 100)], [took("a", 200, later + 200), later]), [100, 5200], "waits")
  }),
  it("no debt is more than two minutes, and none is made less by who comes late", async (counts) => {
    const all = await waits(
      counts,
      [took("a", minute)],
      [took("a", minute)],
      [took("a", minute)],
      [took("a", minute, now), now - minute / 2],
      [took("a", 10, now + minute + 10), now + minute],
    )
    expectSame(all, [minute, 2 * minute, 2 * minute, 2 * minute, 2 * minute + 10], "waits")
  }),
  it("what a clock that was wrong has left, more than three minutes ahead, counts no more", async (counts) => {
    const ahead = 31_536_000_000
    expectSame(await waits(counts, [took("a", 10, now + ahead), now + ahead], [took("a", 20)], [took("a", 5)]), [ahead, 20, 25], "waits")
    expectSame(await waits(counts, [took("b", 0, now + 3 * minute)], [took("b", 20)]), [3 * minute, 3 * minute], "three minutes")
    expectSame(await waits(counts, [took("c", 0, now + 3 * minute + 1)], [took("c", 20)]), [3 * minute + 1, 20], "and one more")
  }),
  it("every bucket is its own, and answers come in the order asked", async (counts) => {
    expectSame(await counts.exchange([], now), [], "nothing")
    const keys = Array.from({ length: 1000 }, (_, each) => `client ${(each * 377) % 1000}`)
    const told = keys.map((key, each) => took(key, each + 1))
    expectSame(
      await counts.exchange(told, now),
      told.map(({ alone }) => alone),
      "all new",
    )
    expectSame(
      await counts.exchange(told.toReversed(), now),
      told.toReversed().map(({ alone, taken }) => alone + taken),
      "all again",
    )
    expectSame(await counts.exchange([took("client 1 ", 7), took("Client 1", 8)], now), [now + 7, now + 8], "unlike names")
  }),
  it("of exchanges at once each counts whole, whatever the order of their keys", async (counts) => {
    const keys = Array.from({ length: 20 }, (_, each) => `address ${each}`)
    const told = keys.map((key) => took(key, 10))
    await Promise.all(Array.from({ length: 16 }, async (_, each) => counts.exchange(each % 2 === 0 ? told : told.toReversed(), now)))
    const answers = await counts.exchange(
      keys.map((key) => took(key, 0, now)),
      now,
    )
    expectSame(answers, Array(20).fill(now + 160), "waits")
  }),
]
