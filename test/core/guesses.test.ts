import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Attempts } from "../../packages/core/src/model/index.ts"
import { webTimer } from "../../packages/core/src/platform/timer.ts"
import type { Ports } from "../../packages/core/src/ports/index.ts"
import { noGuesses, type Place, takePlace } from "../../packages/core/src/settle/guesses.ts"

const none = () => Effect.succeed(undefined)
const patience = { timer: webTimer, milliseconds: 20_000 }
const ports = { tokens: { findAttempts: none, recentAttempts: none }, patience } as unknown as Ports

describe("places of guesses (RFC 6749 §2.3.1)", () => {
  it("are remembered of a bounded number of keys, however many callers guess", async () => {
    const guesses = noGuesses()
    const judging = { guesses, ports, now: 0 }
    const take = (key: number) => Effect.runPromise(takePlace(`key ${key}`, 20, judging))
    const keys = Array.from({ length: 1_000 }, (_, at) => at)
    for (const { leave } of await Promise.all(keys.map(take))) leave(false)
    expect(guesses.byKey.size).toBeLessThan(150)
    for (const key of keys) (await take(key)).leave(true)
    expect(guesses.byKey.size).toBeLessThan(150)
  })

  it("are those of one key at once, also of a key that was there before", async () => {
    const guesses = noGuesses()
    const judging = { guesses, ports, now: 0 }
    for (let round = 0; round < 3; round++) {
      const taken = await Promise.all(Array.from({ length: 20 }, () => Effect.runPromise(takePlace("key", 20, judging))))
      let isThere = false
      const waiting = Effect.runPromise(takePlace("key", 20, judging)).then((place) => ((isThere = true), place))
      await Promise.resolve()
      expect(isThere).toBe(false)
      const [first, ...rest] = taken
      first?.leave(false)
      ;(await waiting).leave(false)
      for (const { leave } of rest) leave(false)
    }
  })

  it.each([
    [1, 400],
    [3, 134],
  ])(
    "at one of %i processes of a server %i guesses wait at once, so that most places are left to requests that guess at nothing",
    async (processes, most) => {
      const judging = { guesses: noGuesses(processes), ports, now: 0 }
      const take = () => Effect.runPromise(takePlace("key", 1, judging))
      const first = await take()
      const waiting = Array.from({ length: most }, take)
      await Promise.resolve()
      await expect(take()).rejects.toThrow()
      expect(judging.guesses.waiting).toBe(most)
      first.leave(false)
      for (const each of waiting) (await each).leave(false)
    },
  )

  it("are given from memory, but for the last; and for the minute that a wrong guess counts none is", async () => {
    const asked: Array<string> = []
    const count = (how: string) => () => {
      asked.push(how)
      return Effect.succeed(undefined)
    }
    const tokens = { findAttempts: count("exact"), recentAttempts: count("memory") }
    const guesses = noGuesses()
    const take = (now: number) => Effect.runPromise(takePlace("key", 3, { guesses, ports: { tokens, patience } as unknown as Ports, now }))
    const taken = [await take(10), await take(10), await take(10)]
    expect(asked, "memory may miss one").toEqual(["memory", "memory", "memory", "exact"])
    for (const { leave } of taken) leave(false)
    ;(await take(10)).leave(true)
    asked.length = 0
    for (const now of [10, 11, 69, 70]) (await take(now)).leave(false)
    expect(asked).toEqual(["exact", "exact", "exact", "memory"])
  })

  it("are no more than so many in a minute where the guesses leave long after they came, in any order", async () => {
    let row: Attempts | undefined
    // Memory that has not noticed anything yet.
    const tokens = { findAttempts: () => Effect.sync(() => row), recentAttempts: none }
    const guesses = noGuesses()
    const take = (now: number) => Effect.runPromise(takePlace("key", 20, { guesses, ports: { tokens, patience } as unknown as Ports, now }))
    const leaveWrong = ({ leave }: Place, now: number) => {
      row = row === undefined || row.resetAt <= now ? { key: "key", count: 1, resetAt: now + 60 } : { ...row, count: row.count + 1 }
      leave(true)
    }
    const early = await Promise.all(Array.from({ length: 19 }, () => take(10)))
    const [oldest, ...slow] = early
    if (oldest === undefined) throw new Error("there is no place")
    for (const place of slow) leaveWrong(place, 10)
    // Three seconds later than they came.
    leaveWrong(await take(13), 13)
    leaveWrong(oldest, 10)
    expect(row).toMatchObject({ count: 20 })
    for (const now of [13, 20, 69]) expect((await take(now)).failures, `at ${now}`).toMatchObject({ count: 20 })
    leaveWrong(await take(70), 70)
    expect(row, "a new minute").toEqual({ key: "key", count: 1, resetAt: 130 })
  })
})
