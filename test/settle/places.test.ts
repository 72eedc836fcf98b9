import * as Effect from "effect/Effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Attempts } from "../../packages/core/src/model/index.ts"
import { type Place, takePlace } from "../../packages/core/src/settle/guesses.ts"
import { failureOf, inquiryOf, run } from "./inquiry.ts"

const none = () => Effect.succeed(undefined)

/** A store that counts wrong guesses, and tells how often each way of looking was taken. */
const counting = () => {
  const rows = new Map<string, Attempts>()
  const asked = { exact: 0, recent: 0 }
  const tokens = {
    findAttempts: (key: string) => Effect.sync(() => (asked.exact++, rows.get(key))),
    recentAttempts: (key: string) => Effect.sync(() => (asked.recent++, rows.get(key))),
  }
  const wrong = (key: string, now: number): void => {
    const before = rows.get(key)
    rows.set(
      key,
      before === undefined || before.resetAt <= now ? { key, count: 1, resetAt: now + 60 } : { ...before, count: before.count + 1 },
    )
  }
  return { tokens, wrong, asked, rows }
}

test("RFC 6749 §2.3.1: however guesses begin and end, those counted and those being judged are never more than so many", async () => {
  const act = fc.record({ begins: fc.boolean(), which: fc.nat(5), isWrong: fc.boolean(), key: fc.constantFrom("one", "two") })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(act, { maxLength: 30 }), async (most, acts) => {
      const { tokens, wrong, rows } = counting()
      const inquiry = inquiryOf({ tokens })
      const judged: Record<string, Array<Place>> = { one: [], two: [] }
      let waiting = 0
      const refused: Array<string> = []
      for (const { begins, which, isWrong, key } of acts) {
        const places = judged[key] ?? []
        if (begins) {
          waiting++
          const taking = run(takePlace(key, most, inquiry)).then((place) => {
            waiting--
            if ((place.failures?.count ?? 0) >= most) refused.push(key)
            else places.push(place)
          })
          void taking.catch(() => refused.push("failed"))
        } else {
          const [place] = places.splice(which % Math.max(1, places.length), 1)
          if (place !== undefined && isWrong) wrong(key, inquiry.now)
          place?.leave(isWrong)
        }
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
        for (const each of ["one", "two"]) {
          const counted = rows.get(each)?.count ?? 0
          expect(counted + (judged[each]?.length ?? 0)).toBeLessThanOrEqual(most)
        }
      }
      for (const key of refused) expect(rows.get(key)?.count, key).toBe(most)
      // Nobody waits for ever: each guess that ends lets in another, or the count refuses it.
      for (let round = 0; round < 60 && waiting + (judged["one"]?.length ?? 0) + (judged["two"]?.length ?? 0) > 0; round++) {
        for (const places of Object.values(judged)) for (const { leave } of places.splice(0)) leave(false)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(waiting).toBe(0)
      for (const underway of inquiry.guesses.byKey.values()) expect(underway).toMatchObject({ waiting: 0, judged: 0, next: undefined })
      expect(inquiry.guesses.waiting).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test("a count that is over does not hold a guess up, and one that stands refuses it at once", async () => {
  const row = (count: number, resetAt: number) => () => Effect.succeed({ key: "key", count, resetAt })
  const at = (look: () => unknown, now = 10) =>
    run(takePlace("key", 3, inquiryOf({ tokens: { findAttempts: look, recentAttempts: look } }, { now })))
  const inquiry = inquiryOf({ tokens: { findAttempts: row(3, 11), recentAttempts: none } }, { now: 10 })
  inquiry.guesses.exactUntil = 11
  const refused = await run(takePlace("key", 3, inquiry))
  expect([refused.failures?.count, inquiry.guesses.byKey.get("key")?.judged]).toEqual([3, 0])
  refused.leave(true)
  expect([inquiry.guesses.byKey.get("key")?.judged, inquiry.guesses.exactUntil], "no place was taken").toEqual([0, 11])
  expect((await at(row(3, 10))).failures?.count, "over in this second").toBe(3)
  for (const look of [row(3, 10), row(2, 11), row(9, 9), none]) {
    const each = inquiryOf({ tokens: { findAttempts: look, recentAttempts: look } }, { now: 10 })
    await run(takePlace("key", 3, each))
    expect(each.guesses.byKey.get("key")?.judged).toBe(1)
  }
})

test("memory gives every place but the last, for which the store itself is asked", async () => {
  const { tokens, asked } = counting()
  const inquiry = inquiryOf({ tokens })
  const looks: Array<unknown> = []
  for (let at = 0; at < 3; at++) {
    await run(takePlace("key", 3, inquiry))
    looks.push({ ...asked })
  }
  expect(looks).toEqual([
    { exact: 0, recent: 1 },
    { exact: 0, recent: 2 },
    { exact: 1, recent: 3 },
  ])
  inquiry.guesses.exactUntil = inquiry.now + 1
  await run(takePlace("another", 3, inquiry))
  expect(asked, "a wrong guess was counted a moment ago").toEqual({ exact: 2, recent: 3 })
  inquiry.guesses.exactUntil = inquiry.now
  await run(takePlace("a third", 3, inquiry))
  expect(asked).toEqual({ exact: 2, recent: 4 })
})

test("a wrong guess is asked for exactly for a minute from when it came, and a right one changes nothing", async () => {
  const { tokens } = counting()
  const inquiry = inquiryOf({ tokens })
  const [right, wrong] = [await run(takePlace("key", 20, inquiry)), await run(takePlace("key", 20, inquiry))]
  right.leave(false)
  expect(inquiry.guesses.exactUntil).toBe(0)
  wrong.leave(true)
  expect([inquiry.guesses.exactUntil, inquiry.guesses.byKey.get("key")?.counted]).toEqual([inquiry.now + 60, 1])
  const earlier = await run(takePlace("key", 20, { ...inquiry, now: inquiry.now - 30 }))
  earlier.leave(true)
  expect(inquiry.guesses.exactUntil, "the later stands").toBe(inquiry.now + 60)
})

test("no more than a hundred keys whose guesses are over are remembered, and none that is under way is forgotten", async () => {
  const inquiry = inquiryOf({ tokens: { findAttempts: none, recentAttempts: none } })
  const take = (key: string) => run(takePlace(key, 20, inquiry))
  const held = await take("held")
  for (let at = 0; at < 200; at++) (await take(`key ${at}`)).leave(false)
  expect(inquiry.guesses.byKey.size).toBe(100)
  expect(inquiry.guesses.byKey.get("held")?.judged).toBe(1)
  const [beside, last] = [await take("held"), await take("held")]
  beside.leave(false)
  expect(inquiry.guesses.byKey.get("held")?.judged, "of three guesses of one key, one ended").toBe(2)
  last.leave(false)
  const looked = Promise.withResolvers<undefined>()
  const look = () => Effect.promise(() => looked.promise)
  const looking = run(
    takePlace("held", 20, { ...inquiry, ports: inquiryOf({ tokens: { findAttempts: look, recentAttempts: look } }).ports }),
  )
  held.leave(false)
  expect(inquiry.guesses.byKey.get("held"), "one looks its count up").toMatchObject({ judged: 0, waiting: 1 })
  looked.resolve(undefined)
  ;(await looking).leave(false)
  expect(inquiry.guesses.byKey.size, "a hundred may stay").toBe(100)
})

test("four hundred guesses wait at most: further ones fail as the store's would, and nothing is counted of them", async () => {
  const inquiry = inquiryOf({ tokens: { findAttempts: none, recentAttempts: none } })
  const first = await run(takePlace("key", 1, inquiry))
  const waiting = Array.from({ length: 400 }, () => run(takePlace("key", 1, inquiry)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(inquiry.guesses.waiting).toBe(400)
  expect(await failureOf(takePlace("key", 1, inquiry))).toMatchObject({ port: "ClientStore", operation: "verifySecret" })
  expect(inquiry.guesses.waiting).toBe(400)
  first.leave(false)
  for (const each of waiting) (await each).leave(false)
  expect([inquiry.guesses.waiting, inquiry.guesses.byKey.get("key")]).toMatchObject([0, { waiting: 0, judged: 0 }])
})

test("a guess whose caller is gone waits no longer, and holds nobody up", async () => {
  const inquiry = inquiryOf({ tokens: { findAttempts: none, recentAttempts: none } })
  const first = await run(takePlace("key", 1, inquiry))
  const gone = Effect.runFork(takePlace("key", 1, inquiry))
  await new Promise((resolve) => setImmediate(resolve))
  expect([inquiry.guesses.waiting, inquiry.guesses.byKey.get("key")?.waiting]).toEqual([1, 1])
  gone.interruptUnsafe()
  await new Promise((resolve) => setImmediate(resolve))
  expect([inquiry.guesses.waiting, inquiry.guesses.byKey.get("key")?.waiting]).toEqual([0, 0])
  first.leave(false)
  ;(await run(takePlace("key", 1, inquiry))).leave(false)
})
