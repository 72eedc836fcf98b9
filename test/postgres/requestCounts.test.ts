import { type PostgresStores, postgresStores, StoreUnavailable } from "@postern/adapter-postgres"
import { memoryLimiter, type SharedLimiter, sharedLimiter } from "@postern/core/memory"
import { sampleTime } from "@postern/core/testing"
import { expect, it } from "vitest"
import { cheap } from "../store/support.ts"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()
const begin = sampleTime * 1000

interface Instance extends PostgresStores {
  readonly limiter: SharedLimiter
}

/** Several processes' stores on one database, each with its limiter. */
const instances = async (count: number, perMinute: number): Promise<ReadonlyArray<Instance>> => {
  const url = await (await server()).database()
  const open = async (): Promise<Instance> => {
    const stores = closing(await postgresStores(url, { hashing: cheap, now: () => sampleTime }))
    return { ...stores, limiter: sharedLimiter({ client: perMinute, address: perMinute }, stores.requestCounts) }
  }
  const [first, ...others] = [await open(), ...(await Promise.all(Array.from({ length: count - 1 }, open)))]
  return [first, ...others]
}
const passing = ({ limiter }: Instance, count: number, at = begin): number =>
  Array.from({ length: count }, () => limiter.take("client", "web", at)).filter((wait) => wait === 0).length
const rowsOf = async ({ database }: Instance): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  database.read("look", "SELECT key, full_at, taken FROM postern.request_counts ORDER BY key")

it("what several let through counts together, and stays so though all tell at once (RFC 6585 §4)", async () => {
  const all = await instances(4, 600)
  let passed = 0
  for (let millis = 0; millis < 60_000; millis += 250) {
    for (const each of all) passed += passing(each, 5, begin + millis)
    await Promise.all(all.map(({ limiter }) => limiter.exchange(begin + millis)))
  }
  // A minute's at once and a minute's refill, and what three of them let through between two exchanges; each alone would let 1200 pass.
  expect(passed).toBeGreaterThanOrEqual(1_190)
  expect(passed).toBeLessThanOrEqual(1_200 + 3 * 5 * 2)
})

it("one by itself on a database answers as the memory limiter does, to the last request", async () => {
  const [one] = await instances(1, 7)
  if (one === undefined) return expect.fail("none was opened")
  const model = memoryLimiter({ client: 7 })
  for (let millis = 0; millis < 240_000; millis += 1_357) {
    const [asked, expected] = [one.limiter, model].map(({ take }) => [0, 1].map(() => take("client", "web", begin + millis)))
    expect(asked).toEqual(expected)
    await one.limiter.exchange(begin + millis)
  }
})

it("names and addresses are kept nowhere; each sender has a row, which is swept once its bucket is full", async () => {
  const [here, there] = await instances(2, 60)
  if (here === undefined || there === undefined) return expect.fail("none was opened")
  for (const each of [here, there]) {
    for (const address of ["203.0.113.9", "203.0.113.10"]) each.limiter.take("address", address, begin)
    expect(passing(each, 2)).toBe(2)
    await each.limiter.exchange(begin)
  }
  const rows = await rowsOf(here)
  expect(rows.map(([, fullAt]) => Number(fullAt) - begin).sort((left, right) => left - right)).toEqual([2000, 2000, 4000])
  expect(rows.map(([key]) => /^[\w-]{43}$/.test(String(key)))).toEqual([true, true, true])
  expect([(await there.sweep(sampleTime + 1)).removed, (await rowsOf(here)).length]).toEqual([0, 3])
  expect([(await there.sweep(sampleTime + 2)).removed, (await rowsOf(here)).length]).toEqual([2, 1])
  expect([(await there.sweep(sampleTime + 4)).removed, (await rowsOf(here)).length]).toEqual([1, 0])
})

it("a thousand senders are one statement, and every one of tens of thousands is told", async () => {
  const [here, there] = await instances(2, 1)
  if (here === undefined || there === undefined) return expect.fail("none was opened")
  const senders = Array.from({ length: 20_500 }, (_, each) => `sender ${each}`)
  for (const each of senders) here.limiter.take("client", each, begin)
  let exchanges = 1
  while (await here.limiter.exchange(begin)) exchanges++
  expect([exchanges, (await rowsOf(here)).length]).toEqual([21, 20_500])
  // The other lets through what it has not heard of, and then knows better.
  for (const each of senders) there.limiter.take("client", each, begin)
  while (await there.limiter.exchange(begin)) continue
  expect(senders.filter((each) => there.limiter.take("client", each, begin + 61_000) === 0)).toEqual([])
  while ((await here.sweep(sampleTime + 120)).more) continue
  expect(await rowsOf(here)).toEqual([])
})

it("without the database each goes on by itself, and after a crash, which takes the counts, they agree again", async () => {
  const { stop, start } = await server()
  const [here, there] = await instances(2, 600)
  if (here === undefined || there === undefined) return expect.fail("none was opened")
  expect([passing(here, 100), passing(there, 100)]).toEqual([100, 100])
  for (const { limiter } of [here, there, here]) await limiter.exchange(begin)
  await stop()
  expect([passing(here, 50), passing(there, 50)]).toEqual([50, 50])
  for (const { limiter } of [here, there]) await expect(limiter.exchange(begin)).rejects.toThrow(StoreUnavailable)
  await start()
  expect(await rowsOf(here)).toEqual([])
  expect([passing(here, 1), passing(there, 1)]).toEqual([1, 1])
  for (const { limiter } of [here, there]) await limiter.exchange(begin)
  expect((await rowsOf(here)).map(([, fullAt]) => Number(fullAt) - begin)).toEqual([10_200])
  // Each still knows what it knew before: one of its own 151 alone, the other of the first hundred of that one as well.
  expect([passing(here, 1_000), passing(there, 1_000)]).toEqual([600 - 151, 600 - 251])
})
