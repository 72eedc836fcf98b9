import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { inMemory, type SqliteTokenStore, sqliteTokenStore } from "@postern/adapter-sqlite"
import { type MemoryTokenStore, memoryTokenStore } from "@postern/core/memory"
import { type Command, locatorAt, rowKinds, saveAccessToken } from "@postern/core/model"
import { sampleAccessToken, sampleTime } from "@postern/core/testing"
import { runs } from "../tiers/tier.ts"
import { reads, type Step, step } from "./smallWorld.ts"
import { storesOn } from "./preparedOnce.ts"
import { temporaryDatabase } from "./support.ts"

type AnyStore = MemoryTokenStore | SqliteTokenStore

const sweepAll = (store: AnyStore, now: number): number => {
  let removed = 0
  for (let more = true; more;) {
    const slice = store.sweep(now)
    removed += slice.removed
    more = slice.more
  }
  return removed
}

const take = (store: AnyStore, sweeper: () => AnyStore, each: Step): unknown =>
  "commit" in each ? store.commit(each.commit) : sweepAll(sweeper(), each.sweep)

describe("SQLite is what memory is", () => {
  it("any commands and sweeps, in any order, come to the same answers and the same rows", () => {
    const database = temporaryDatabase(inMemory)
    const wipe = database.transaction(() => rowKinds.forEach(({ name }) => database.exec(`DELETE FROM ${name}`)))
    const sqlite = sqliteTokenStore(database)
    // A store that knows nothing of the tables yet sweeps exactly; one that does may come to a row put behind its back a little later.
    const sweeper = storesOn(database)
    let conflicts = 0
    let commits = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        wipe()
        const memory = memoryTokenStore()
        for (const each of steps) {
          const expected = take(memory, () => memory, each)
          expect(take(sqlite, sweeper, each)).toBe(expected)
          if (expected === "Conflict") conflicts++
          if (expected === "Committed") commits++
        }
        expect(reads(sqlite)).toStrictEqual(reads(memory))
      }),
      { numRuns: runs(2000) },
    )
    // Both answers are met often, or this test proves little.
    expect(Math.min(conflicts, commits)).toBeGreaterThan(runs(1000))
  }, 60_000)

  it("whatever the lifetimes and however often it sweeps, no row stays a minute longer than it may, and none leaves early", () => {
    const database = temporaryDatabase(inMemory)
    const left = database.prepare<[], [number, number]>("SELECT keep_until, created_at FROM access_tokens").raw()
    const batch = fc.record({ pause: fc.integer({ min: 0, max: 400 }), rows: fc.integer({ min: 0, max: 1500 }), sweeps: fc.boolean() })
    const lifetimes = fc.uniqueArray(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(batch, { minLength: 3, maxLength: 12 }), lifetimes, (batches, lives) => {
        database.exec("DELETE FROM access_tokens")
        const store = sqliteTokenStore(database)
        let now = sampleTime
        let sequence = 0
        const expected: Array<number> = []
        for (const { pause, rows, sweeps } of batches) {
          now += pause
          const commands = Array.from({ length: rows }, (_, each): Command => {
            const keepUntil = now + (lives[each % lives.length] ?? 1)
            expected.push(keepUntil)
            const told = {
              createdAt: now,
              keepUntil,
              locator: locatorAt(now * 1000, new Uint8Array([0, 0, 0, 0, ++sequence >> 8, sequence])),
            }
            return saveAccessToken(sampleAccessToken(0, told))
          })
          expect(store.commit(commands)).toBe("Committed")
          if (!sweeps) continue
          sweepAll(store, now)
          const kept = left.all()
          expect(kept.filter(([keepUntil]) => keepUntil <= now - 60)).toEqual([])
          expect(kept.filter(([keepUntil]) => keepUntil > now).length).toBe(expected.filter((keepUntil) => keepUntil > now).length)
        }
      }),
      { numRuns: runs(30) },
    )
  }, 60_000)
})
