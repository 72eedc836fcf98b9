import { inMemory, sqliteTokenStore } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import {
  type Command,
  type CommitResult,
  type RowKind,
  happening,
  locatorAt,
  putting,
  rowKind,
  rowKinds,
  wholeRowKind,
} from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { sampleTime } from "@postern/core/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { applyTo } from "../../packages/adapter-sqlite/src/tokens/commands.ts"
import { runs } from "../tiers/tier.ts"
import { temporaryDatabase } from "../store/support.ts"

// Tables of no feature, with everything that a description may say: each store that interprets descriptions must come to what the model in memory does.

interface Desk {
  readonly floor: string
  readonly number: number
  readonly owner: string | undefined
  readonly isOpen: boolean
  readonly things: ReadonlyArray<string>
  readonly uses: number
  readonly until: number
}

const desks = rowKind<Desk>(
  "model_desks",
  { floor: "text", number: "integer", owner: "text?", isOpen: "flag", things: "json", uses: "integer", until: "integer" },
  {
    key: ["floor", "number"],
    keptUntil: "until",
    endless: true,
    events: {
      SetUp: { ways: [{ when: "absent", change: "insert" }] },
      Refit: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [["owner", "unset"]], change: "replace" },
        ],
      },
      // A count of its own where the row is new or closed, and one more where it is not.
      Visit: {
        ways: [
          { when: "absent", change: "insert" },
          {
            when: [["until", "atMost", ":now"]],
            change: [
              ["uses", "set", 1],
              ["until", "set", ":until"],
            ],
          },
          { when: [["uses", "below", ":most"]], change: [["uses", "add", 1]] },
        ],
      },
      Take: {
        ways: [
          {
            when: [
              ["owner", "unset"],
              ["uses", "above", 0],
            ],
            change: [["owner", "set", ":who"]],
          },
        ],
      },
      Move: {
        ways: [
          {
            when: [
              ["owner", "set"],
              ["things", "contains", "lamp"],
            ],
            change: [["owner", "setIfGiven", ":who"]],
          },
        ],
        otherwise: "nothing",
      },
      Leave: { ways: [{ when: [["owner", "equal", ":who"]], change: [["owner", "unset"]] }] },
      Extend: { ways: [{ when: [], change: [["until", "max", ":until"]] }] },
      Remove: { ways: [{ when: [["owner", "is", "o'hara"]], change: "remove" }] },
      Look: { ways: [{ when: [["owner", "set"]], change: "nothing" }] },
      CloseFloor: {
        by: { floor: ":floor", owner: ":who?", isOpen: true },
        ways: [{ when: [["uses", "above", 1]], change: [["uses", "add", -1]] }],
        otherwise: "nothing",
      },
    },
    lists: {
      onFloor: { all: [["floor", "equal", ":floor"]], order: [["number", "up"]] },
      wanted: {
        all: [["uses", "above", 0]],
        any: [
          ["owner", "unset"],
          ["things", "contains", "lamp"],
        ],
        order: [
          ["uses", "down"],
          ["floor", "up"],
          ["number", "down"],
        ],
      },
    },
  },
)

interface Branch {
  readonly name: string
  readonly number: number
  readonly above: string | undefined
  readonly cut: number | undefined
  readonly seen: number
}

const branches = rowKind<Branch>(
  "model_branches",
  { name: "text", number: "integer", above: "text?", cut: "integer?", seen: "integer" },
  {
    key: ["name"],
    unique: ["number"],
    descent: { from: "above", down: ["cut"], up: ["seen"] },
    events: {
      Grow: { ways: [{ when: "absent", change: "insert" }] },
      Cut: { ways: [{ when: [["cut", "unset"]], change: [["cut", "set", ":at"]] }], otherwise: "nothing" },
      See: { ways: [{ when: [], change: [["seen", "max", ":at"]] }] },
      Burn: { ways: [{ when: [["cut", "set"]], change: "remove" }] },
    },
    lists: { all: { all: [], order: [["name", "up"]] } },
  },
)

interface Note {
  readonly id: string
  readonly version: number
  readonly text: string
  readonly more?: string | undefined
}

const notes = wholeRowKind<Note>(
  "model_notes",
  { id: "text", version: "integer" },
  {
    key: ["id"],
    mayLack: ["more"],
    events: {
      Write: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [["version", "below", ":version"]], change: "replace" },
        ],
      },
      Drop: { ways: [{ when: [["version", "equal", ":version"]], change: "remove" }] },
    },
  },
)

const own: ReadonlyArray<RowKind> = [desks, branches, notes]
const kinds = [...rowKinds, ...own]

const floor = fc.constantFrom("one", "two")
const number = fc.integer({ min: 1, max: 2 })
const who = fc.constantFrom("ann", "o'hara")
const until = fc.oneof(fc.constant(0), fc.integer({ min: 10, max: 20 }))
const desk = fc
  .record({
    floor,
    number,
    owner: fc.option(who, { nil: undefined }),
    isOpen: fc.boolean(),
    things: fc.subarray(["lamp", "chair", 'a "quoted" one']),
    uses: fc.integer({ min: 0, max: 3 }),
    until,
  })
  .map((row) => ({ ...row }))
const key = { floor, number }
const name = fc.constantFrom("a", "b", "c", "d")
const at = fc.integer({ min: 1, max: 9 })
const happens = (kind: RowKind, event: string, given: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Command> =>
  fc.record(given).map((values) => happening(kind as never, event, values as never))

const command: fc.Arbitrary<Command> = fc.oneof(
  desk.map((row) => putting(desks, "SetUp", row)),
  desk.map((row) => putting(desks, "Refit", row)),
  fc
    .record({ row: desk, now: fc.integer({ min: 0, max: 20 }), until, most: number })
    .map(({ row, ...given }) => putting(desks, "Visit", row, given)),
  happens(desks, "Take", { ...key, who }),
  happens(desks, "Move", { ...key, who: fc.option(who, { nil: undefined }) }),
  happens(desks, "Leave", { ...key, who }),
  happens(desks, "Extend", { ...key, until }),
  happens(desks, "Remove", key),
  happens(desks, "Look", key),
  happens(desks, "CloseFloor", { floor, who: fc.option(who, { nil: undefined }) }),
  fc
    .record({ name, number: fc.integer({ min: 1, max: 5 }), above: fc.option(name, { nil: undefined }), seen: at })
    .map((told) => putting(branches, "Grow", { ...told, cut: undefined })),
  happens(branches, "Cut", { name, at }),
  happens(branches, "See", { name, at }),
  happens(branches, "Burn", { name }),
  fc
    .record({ id: name, version: number, text: fc.string(), more: fc.string() })
    .map((row) => putting(notes, "Write", { ...row }, { version: row.version })),
  fc
    .record({ id: name, version: number, text: fc.string(), more: fc.constant(undefined) })
    .map((row) => putting(notes, "Write", { ...row }, { version: row.version })),
  happens(notes, "Drop", { id: name, version: number }),
)

/** Every row, as each way of reading answers it. */
const state = (store: TokenStorePort): unknown => [
  ["one", "two"].map((each) => store.list(desks, "onFloor", { floor: each })),
  store.list(desks, "wanted", {}),
  ["one", "two"].flatMap((each) => [1, 2].map((at) => store.find(desks, { floor: each, number: at }))),
  store.list(branches, "all", {}),
  [1, 2, 3, 4, 5].map((each) => store.find(branches, { number: each })),
  ["a", "b", "c", "d"].map((each) => store.find(notes, { id: each })),
]

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
    { numRuns: runs(1000) },
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
    { numRuns: runs(500) },
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
