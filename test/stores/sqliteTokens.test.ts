import { inMemory, sqliteTokenStore } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import { type Command, type CommitResult, happening, locatorAt, putting, rowKind, rowKinds } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { applyTo } from "../../packages/adapter-sqlite/src/tokens/commands.ts"
import { temporaryDatabase } from "../store/support.ts"
import { runs } from "../tiers/tier.ts"
import { type Branch, branches, command, desks, kinds, own, state, until } from "./madeUpRows.ts"

/** One database for many runs, whose rows go before each. */
const emptied = () => {
  const database = temporaryDatabase(inMemory, { kinds })
  const sqlite = sqliteTokenStore(database, undefined, 0, kinds)
  return { database, fresh: () => (own.forEach((kind) => database.exec(`DELETE FROM ${kind.name}`)), sqlite) }
}

test("law 13: whatever a description says, SQLite comes to what the model does, commit by commit and row by row", () => {
  const { fresh } = emptied()
  const met = { Committed: 0, Conflict: 0 }
  fc.assert(
    fc.property(fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), { maxLength: 10 }), (commits) => {
      const [memory, sqlite] = [memoryTokenStore(own), fresh()]
      for (const commands of commits) {
        const expected = memory.commit(commands) as CommitResult
        expect(sqlite.commit(commands)).toBe(expected)
        met[expected]++
        expect(state(sqlite)).toStrictEqual(state(memory))
      }
    }),
    { numRuns: runs(300) },
  )
  expect(Math.min(met.Committed, met.Conflict)).toBeGreaterThan(20)
}, 60_000)

test("law 4: of sets that are committed together each is whole or nothing, and comes to what it would alone, in its turn", () => {
  const { fresh } = emptied()
  fc.assert(
    fc.property(fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }), (sets) => {
      const [memory, sqlite] = [memoryTokenStore(own), fresh()]
      expect(sqlite.commitTogether(sets)).toEqual(sets.map((commands) => memory.commit(commands)))
      expect(state(sqlite)).toStrictEqual(state(memory))
    }),
    { numRuns: runs(200) },
  )
}, 60_000)

test("law 4: a set that its own rows make impossible fails alone, with SQLite's code, and those beside it stand", () => {
  const { fresh, database } = emptied()
  const grow = (each: string, at: number) =>
    putting(branches, "Grow", { name: each, number: at, above: undefined, cut: undefined, seen: 1 })
  const impossible = putting(branches, "Grow", { name: "z", number: null, above: undefined, cut: undefined, seen: 1 } as never)
  const sqlite = fresh()
  const results = sqlite.commitTogether([[grow("a", 1)], [grow("b", 2), impossible], [grow("c", 3)], [grow("a", 4)]])
  expect(results).toEqual(["Committed", { code: "SQLITE_CONSTRAINT_NOTNULL" }, "Committed", "Conflict"])
  expect((sqlite.list(branches, "all", {}) as ReadonlyArray<Branch>).map((row) => row.name)).toEqual(["a", "c"])
  expect(() => sqlite.commit([impossible])).toThrow("SQLITE_CONSTRAINT_NOTNULL")
  expect(database.inTransaction).toBe(false)
  expect(sqlite.commitTogether([[impossible], [grow("a", 5)]])).toEqual([{ code: "SQLITE_CONSTRAINT_NOTNULL" }, "Conflict"])
  expect([sqlite.commit([]), sqlite.commit([grow("b", 2)]), database.inTransaction]).toEqual(["Committed", "Committed", false])
})

test("an event that no kind has, or two have, and a table or a list that is not described, are defects", () => {
  const { fresh, database } = emptied()
  const sqlite = fresh()
  expect(() => sqlite.commit([{ ...happening(desks, "Look", { floor: "one", number: 1 }), event: "Dance" } as Command])).toThrow()
  expect(database.inTransaction).toBe(false)
  expect(() => applyTo(database, [desks, { ...branches, events: { Take: desks.events["Take"] as never } }])).toThrow(
    "two kinds of row have an event Take",
  )
  expect(() => sqlite.list(desks, "unknown", {})).toThrow()
  expect(() => sqliteTokenStore(database).find(desks, { floor: "one", number: 1 })).toThrow()
  expect([sqlite.keeps?.("model_desks"), sqliteTokenStore(database).keeps?.("model_desks")]).toEqual([true, false])
})

test("a sweep takes what is over and nothing else: all of it in the end, some hundreds at a time, and 0 is for ever where a kind says so", () => {
  const { fresh } = emptied()
  fc.assert(
    fc.property(fc.array(until, { maxLength: 1200 }), fc.integer({ min: 9, max: 21 }), (times, now) => {
      const sqlite = fresh()
      const rows = times.map((until, number) => ({ floor: "one", number, owner: undefined, isOpen: true, things: [], uses: 1, until }))
      expect(sqlite.commit(rows.map((row) => putting(desks, "SetUp", row)))).toBe("Committed")
      let removed = 0
      for (let slice = sqlite.sweep(now); slice.more; slice = sqlite.sweep(now)) {
        expect(slice.removed).toBeLessThanOrEqual(400)
        removed += slice.removed
      }
      const over = rows.filter((row) => row.until !== 0 && row.until <= now)
      expect(removed).toBe(over.length)
      for (const { number } of over.slice(0, 20)) expect(sqlite.find(desks, { floor: "one", number })).toBeUndefined()
      for (const row of rows.filter((each) => !over.includes(each)).slice(0, 20))
        expect(sqlite.find(desks, { floor: "one", number: row.number })).toEqual(row)
    }),
    { numRuns: runs(20) },
  )
}, 60_000)

interface Ticket {
  readonly locator: string
  readonly keepUntil: number
}

test("a sweep by zones finds each row that is over within an hour of its time, a minute where it is young, however rows came and clocks went", () => {
  const tickets = rowKind<Ticket>(
    "model_tickets",
    { locator: "text", keepUntil: "integer" },
    { key: ["locator"], ordered: true, keptUntil: "keepUntil", events: { Issue: { ways: [{ when: "absent", change: "insert" }] } } },
  )
  const all = [...rowKinds, tickets]
  const database = temporaryDatabase(inMemory, { kinds: all })
  const left = database.prepare<[], [string, number]>("SELECT locator, keep_until FROM model_tickets").raw()
  const round = fc.record({
    pause: fc.integer({ min: -30, max: 5000 }),
    rows: fc.nat(600),
    life: fc.integer({ min: 1, max: 9000 }),
    late: fc.integer({ min: 0, max: 50 }),
  })
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 8 }), (rounds) => {
      database.exec("DELETE FROM model_tickets")
      const sqlite = sqliteTokenStore(database, undefined, 0, all)
      let now = sampleTime
      let count = 0
      for (const { pause, rows, life, late } of rounds) {
        now += pause
        const issued = Array.from({ length: rows }, (): Command => {
          count++
          const made = locatorAt((now - late) * 1000, new Uint8Array([0, 0, 0, count >> 16, count >> 8, count]))
          return putting(tickets, "Issue", { locator: made, keepUntil: now + life })
        })
        expect(sqlite.commit(issued)).toBe("Committed")
        const before = left.all()
        let removed = 0
        let slices = 0
        for (let slice = sqlite.sweep(now); slice.more; slice = sqlite.sweep(now)) {
          removed += slice.removed
          // Each look is at another stretch: a sweep comes to an end.
          expect(++slices).toBeLessThan(100 + count)
        }
        const after = left.all()
        expect(before.length - after.length).toBe(removed)
        expect(after.filter(([, keepUntil]) => keepUntil > now).length, "none leaves early").toBe(
          before.filter(([, keepUntil]) => keepUntil > now).length,
        )
        expect(after.filter(([, keepUntil]) => keepUntil <= now - 3600)).toEqual([])
        // Whoever starts anew knows nothing, and finds all.
        if (rows % 7 === 0) {
          const anew = sqliteTokenStore(database, undefined, 0, all)
          while (anew.sweep(now).more) continue
          expect(left.all().filter(([, keepUntil]) => keepUntil <= now)).toEqual([])
        }
      }
    }),
    { numRuns: runs(20) },
  )
}, 60_000)
