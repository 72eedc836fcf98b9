import { inMemory, sqliteTokenStore } from "@postern/adapter-sqlite"
import {
  type Attempts,
  type Command,
  type Locator,
  happening,
  insertion,
  locatorAt,
  putting,
  rowKind,
  rowKinds,
  saveAccessToken,
  saveGrant,
} from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { StoreUnavailable } from "@postern/stores"
import Sqlite from "better-sqlite3"
import { describe, expect, test } from "vitest"
import { slotOf } from "../../packages/adapter-sqlite/src/database/slots.ts"
import { applyTo } from "../../packages/adapter-sqlite/src/tokens/commands.ts"
import { commitsOf, ownResult } from "../../packages/adapter-sqlite/src/tokens/commit.ts"
import { readsOn } from "../../packages/adapter-sqlite/src/tokens/reads.ts"
import { sweepOf } from "../../packages/adapter-sqlite/src/tokens/sweep.ts"
import { tableOf } from "../../packages/adapter-sqlite/src/tokens/table.ts"
import { locatorsOf, slots, zoneSweep } from "../../packages/adapter-sqlite/src/tokens/zones.ts"
import { temporaryDatabase } from "../store/support.ts"
import { branches, desks, own } from "./madeUpRows.ts"

interface Card {
  readonly locator: Locator
  readonly number: number
  readonly serial: string
  readonly holder: string | undefined
  readonly grantId: string | undefined
  readonly until: number
}

/** Slotted rows with a secondary key, a list, a guard, and a grant. */
const cards = rowKind<Card>(
  "f_cards",
  { locator: "text", number: "integer", serial: "text", holder: "text?", grantId: "text?", until: "integer" },
  {
    called: "a card",
    key: ["locator"],
    unique: ["number", "serial"],
    ordered: true,
    slotted: true,
    ofGrant: "grantId",
    keptUntil: "until",
    events: {
      MakeCard: insertion,
      GiveCard: { ways: [{ when: [["holder", "unset"]], change: [["holder", "set", ":who"]] }] },
      SeeCard: { ways: [{ when: [["holder", "set"]], change: "nothing" }] },
      DropCard: { ways: [{ when: [], change: "remove" }] },
    },
    lists: { held: { all: [["holder", "equal", ":who"]], order: [["number", "up"]] } },
  },
)

const millis = sampleTime * 1000
const cardAt = (number: number, more: Partial<Card> = {}): Card => ({
  locator: locatorAt(millis + number, new Uint8Array([0, 0, 0, 0, 0, number % 256])),
  number,
  serial: `s${number}`,
  holder: undefined,
  grantId: undefined,
  until: sampleTime + 100,
  ...more,
})

const opened = (kinds = [...rowKinds, ...own, cards]) => {
  const database = temporaryDatabase(inMemory, { kinds })
  let asked = 0
  const store = sqliteTokenStore(database, () => void asked++, 0, kinds)
  return { database, store, asked: () => asked }
}

const failure = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error instanceof StoreUnavailable ? [error.operation, error.code] : String(error)
  }
  return "nothing failed"
}

describe("slotted rows", () => {
  test("are found by their locator, their secondary key and their list, and changed by their guards alone", () => {
    const { store } = opened()
    const [one, two] = [cardAt(1), cardAt(2)]
    expect(store.commit([putting(cards, "MakeCard", one), putting(cards, "MakeCard", two)])).toBe("Committed")
    const byNumber = (number: number) => store.find(cards, { number })
    expect([store.find(cards, { locator: one.locator }), byNumber(2), byNumber(3), store.find(cards, { locator: "none" })]).toEqual([
      one,
      two,
      undefined,
      undefined,
    ])
    expect([store.find(cards, { serial: "s2" }), store.find(cards, { locator: one.locator, number: 2 })]).toEqual([two, one])
    const give = happening(cards, "GiveCard", { locator: one.locator, who: "ann" })
    expect([store.commit([give]), store.commit([give])]).toEqual(["Committed", "Conflict"])
    expect(store.list(cards, "held", { who: "ann" })).toEqual([{ ...one, holder: "ann" }])
    const see = (of: Card) => store.commit([happening(cards, "SeeCard", { locator: of.locator })])
    expect([see(one), see(two), see(cardAt(9))]).toEqual(["Committed", "Conflict", "Conflict"])
    expect(store.commit([happening(cards, "DropCard", { locator: one.locator })])).toBe("Committed")
    expect([byNumber(1), byNumber(2)]).toEqual([undefined, two])
  })

  test("lie at the slot of their locator, whichever way they are written", () => {
    const { database, store } = opened()
    const table = tableOf(database, cards)
    const [one, two] = [cardAt(1), cardAt(2)]
    void store.commit([putting(cards, "MakeCard", one)])
    expect([table.insert(two), table.insert(two), table.insert(cardAt(2))]).toEqual([true, false, false])
    const at = database.prepare<[], bigint>("SELECT slot FROM f_cards ORDER BY number").pluck().safeIntegers().all()
    expect(at).toEqual([slotOf(one.locator), slotOf(two.locator)])
    expect([table.find(one.locator), table.find(two.locator), table.find("none"), table.find()]).toEqual([one, two, undefined, undefined])
    expect(tableOf(database, cards, ["number"]).find("2")).toEqual(two)
    const plain = tableOf(database, branches)
    const branch = { name: "a", number: 1, above: undefined, cut: undefined, seen: 1 }
    expect([plain.insert(branch), plain.insert(branch), plain.find("a"), plain.find("b")]).toEqual([true, false, branch, undefined])
  })

  test("are sought at their slot and the seven after it, and nowhere else", () => {
    const { database, store } = opened()
    const all = [1, 2].map((number) => cardAt(number))
    const move = database.prepare("UPDATE f_cards SET slot = slot + ? WHERE number = ?")
    void store.commit(all.map((card) => putting(cards, "MakeCard", card)))
    move.run(14n, 1)
    move.run(16n, 2)
    expect(all.map(({ locator }) => (store.find(cards, { locator }) as Card | undefined)?.number)).toEqual([1, undefined])
    const given = all.map(({ locator }) => store.commit([happening(cards, "GiveCard", { locator, who: "ann" })]))
    const dropped = all.map(({ locator }) => store.commit([happening(cards, "DropCard", { locator })]))
    expect([given, dropped]).toEqual([
      ["Committed", "Conflict"],
      ["Committed", "Conflict"],
    ])
  })

  test("leave by zones of their slots, those that are over and no others", () => {
    const { database, store } = opened()
    const all = Array.from({ length: 30 }, (_, at) => cardAt(at, { until: sampleTime + (at % 3) }))
    expect(store.commit(all.map((card) => putting(cards, "MakeCard", card)))).toBe("Committed")
    const sweep = zoneSweep(database, "f_cards", slots, "until", 7)
    const dropped: Array<number> = []
    for (let removed = sweep(sampleTime + 1); removed !== undefined; removed = sweep(sampleTime + 1)) dropped.push(removed)
    expect(dropped).toEqual([5, 5, 4, 5, 1])
    expect(database.prepare("SELECT number FROM f_cards ORDER BY number").pluck().all()).toEqual(
      all.filter(({ number }) => number % 3 === 2).map(({ number }) => number),
    )
  })
})

describe("events of rows that descend from others", () => {
  interface Leaf {
    readonly name: string
    readonly above: string | undefined
    readonly cut: number | undefined
    readonly note: string | undefined
    readonly seen: number
  }
  const leaves = rowKind<Leaf>(
    "f_leaves",
    { name: "text", above: "text?", cut: "integer?", note: "text?", seen: "integer" },
    {
      key: ["name"],
      descent: { from: "above", down: ["cut"], up: ["seen"] },
      events: {
        GrowLeaf: insertion,
        CutLeaf: {
          ways: [
            {
              when: [["cut", "unset"]],
              change: [
                ["note", "set", ":note"],
                ["cut", "set", ":at"],
              ],
            },
          ],
        },
        SeeLeaf: {
          ways: [
            {
              when: [["cut", "unset"]],
              change: [
                ["note", "unset"],
                ["seen", "max", ":at"],
              ],
            },
          ],
        },
        NoteLeaf: { ways: [{ when: [], change: [["note", "set", ":note"]] }] },
      },
    },
  )

  test("go down to all below and up to all above, though another column goes along; where no row is meant they conflict", () => {
    const { store } = opened([...rowKinds, leaves])
    const grow = (name: string, above?: string) => putting(leaves, "GrowLeaf", { name, above, cut: undefined, note: "old", seen: 1 })
    void store.commit([grow("a"), grow("b", "a"), grow("c", "b"), grow("d", "c"), grow("other")])
    const all = () => ["a", "b", "c", "d", "other"].map((name) => store.find(leaves, { name }) as Leaf)
    const happens = (event: string, given: Readonly<Record<string, unknown>>) =>
      store.commit([happening(leaves as never, event, given as never)])
    expect(happens("SeeLeaf", { name: "c", at: 5 })).toBe("Committed")
    expect(all().map(({ seen, note }) => [seen, note])).toEqual([
      [5, undefined],
      [5, undefined],
      [5, undefined],
      [1, "old"],
      [1, "old"],
    ])
    expect(happens("SeeLeaf", { name: "nobody", at: 9 })).toBe("Conflict")
    expect(happens("CutLeaf", { name: "b", at: 7, note: "cut" })).toBe("Committed")
    expect(all().map(({ cut, note }) => [cut, note])).toEqual([
      [undefined, undefined],
      [7, "cut"],
      [7, "cut"],
      [7, "cut"],
      [undefined, "old"],
    ])
    expect([happens("CutLeaf", { name: "b", at: 8, note: "again" }), happens("SeeLeaf", { name: "b", at: 9 })]).toEqual([
      "Conflict",
      "Conflict",
    ])
    expect(happens("NoteLeaf", { name: "a", note: "one" })).toBe("Committed")
    expect(all().map(({ note, seen }) => [note, seen])).toEqual([
      ["one", 5],
      ["cut", 5],
      ["cut", 5],
      ["cut", 1],
      ["old", 1],
    ])
  })

  test("an event that no kind has, or two have, a list that there is not and a kind that is not kept are defects by their name", () => {
    const { database, store } = opened()
    const apply = applyTo(database, [desks])
    expect(() => apply({ event: "Dance" } as Command)).toThrow("no event is called Dance")
    expect(() => store.list(desks, "unknown", {})).toThrow("model_desks has no list unknown")
    expect(() => store.find(leaves, { name: "a" })).toThrow("the store keeps no rows of the kind f_leaves")
    const { grantOf } = readsOn(database, cards)
    expect([grantOf(cardAt(1)), grantOf(cardAt(1, { grantId: "g" })), readsOn(database, desks).grantOf({} as never)]).toEqual([
      undefined,
      "g",
      undefined,
    ])
  })
})

describe("commits", () => {
  const command = { event: "any" } as Command
  /** Commits by a function that stands for all events, and counts its calls. */
  const committing = (apply: (database: Sqlite.Database, call: number) => boolean) => {
    const database = temporaryDatabase(inMemory)
    let calls = 0
    return { database, calls: () => calls, commit: commitsOf(database, () => apply(database, calls++)) }
  }
  const sqliteError = (code: string) => new Sqlite.SqliteError("made up", code)

  test("a set alone is applied once, and so are sets that all pass; only where one fails are they applied again, each by itself", () => {
    const conflicts = committing(() => false)
    expect([conflicts.commit([[command]]), conflicts.calls()]).toEqual([["Conflict"], 1])
    const passes = committing(() => true)
    expect([passes.commit([[command], [command]]), passes.calls()]).toEqual([["Committed", "Committed"], 2])
    const second = committing((_, call) => call !== 1 && call !== 3)
    expect([second.commit([[command], [command]]), second.calls()]).toEqual([["Committed", "Conflict"], 4])
    for (const { database } of [conflicts, passes, second]) expect(database.inTransaction).toBe(false)
  })

  test.each(["CONSTRAINT_NOTNULL", "MISMATCH", "TOOBIG", "RANGE", "ERROR"])("SQLITE_%s is a fault of its own set", (code) => {
    const { commit, database } = committing((_, call) => {
      if (call % 2 === 0) throw sqliteError(`SQLITE_${code}`)
      return true
    })
    expect(commit([[command]])).toEqual([{ code: `SQLITE_${code}` }])
    expect(database.inTransaction).toBe(false)
  })

  test("a fault of the database is everybody's: nothing of any set is done, and the error says what was asked", () => {
    for (const code of ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY"]) {
      const { commit, database } = committing((of, call) => {
        of.exec(`INSERT INTO revisions (name, value) VALUES ('made up ${call}', 1)`)
        if (call === 1) throw sqliteError(code)
        return true
      })
      expect(failure(() => commit([[command], [command]]))).toEqual(["commit", code])
      expect([database.inTransaction, database.prepare("SELECT 1 FROM revisions WHERE name LIKE 'made up%'").get()]).toEqual([
        false,
        undefined,
      ])
    }
  })

  test("a defect passes through as it is, where SQLite has ended the transaction by itself too", () => {
    for (const ends of [false, true]) {
      const { commit, database } = committing((of) => {
        if (ends) of.exec("ROLLBACK")
        throw new Error("a defect")
      })
      expect(failure(() => commit([[command]]))).toBe("Error: a defect")
      expect(database.inTransaction).toBe(false)
    }
    const ended = committing((of) => {
      of.exec("ROLLBACK")
      throw sqliteError("SQLITE_CONSTRAINT")
    })
    expect(
      failure(() => ended.commit([[command]])),
      "nothing is left to judge the set by",
    ).toEqual(["commit", "SQLITE_CONSTRAINT"])
  })

  test("a set whose own fault it was fails with SQLite's code", () => {
    expect([ownResult("Committed"), ownResult("Conflict")]).toEqual(["Committed", "Conflict"])
    expect(failure(() => ownResult({ code: "SQLITE_TOOBIG" }))).toEqual(["commit", "SQLITE_TOOBIG"])
  })
})

describe("the store", () => {
  test("says what was asked of it where the database cannot do it, and commits nothing without asking it", () => {
    const { database, store } = opened()
    database.close()
    const grantId = sampleLocator(1)
    expect([
      failure(() => store.findGrant(grantId)),
      failure(() => store.find(cards, { locator: "a" })),
      failure(() => store.list(cards, "held", { who: "a" })),
      failure(() => store.findCode(grantId)),
      failure(() => store.recentAttempts?.("key", sampleTime)),
      failure(() => store.commit([saveGrant(sampleGrant(1))])),
      failure(() => store.sweep(sampleTime)),
      store.commit([]),
    ]).toEqual([
      ["read a grant", "CLOSED"],
      ["read a card", "CLOSED"],
      ["list held", "CLOSED"],
      ["read a code", "CLOSED"],
      ["read attempts", "CLOSED"],
      ["commit", "CLOSED"],
      ["sweep", "CLOSED"],
      "Committed",
    ])
  })

  test("begins a reading before each read", () => {
    const { store, asked } = opened()
    void store.findGrant(sampleLocator(1))
    void store.list(cards, "held", { who: "a" })
    void store.findCode(sampleLocator(1))
    expect(asked()).toBe(3)
  })

  test("finds a row with its grant, one without any, and none whose grant is gone", () => {
    const { store } = opened()
    const token = (order: number, grantId: string | undefined) => saveAccessToken(sampleAccessToken(order, { grantId }))
    void store.commit([saveGrant(sampleGrant(1)), token(2, sampleLocator(1)), token(3, undefined), token(4, sampleLocator(9))])
    expect([2, 3, 4].map((order) => store.findAccessToken(sampleLocator(order)))).toEqual([
      { token: sampleAccessToken(2, { grantId: sampleLocator(1) }), grant: sampleGrant(1) },
      { token: sampleAccessToken(3, { grantId: undefined }), grant: undefined },
      undefined,
    ])
  })

  test("RFC 6749 §2.3.1: remembers the attempts that are not over, and those alone", () => {
    const { database, store } = opened()
    const insert = database.prepare("INSERT INTO attempts (key, count, reset_at) VALUES (?, ?, ?)")
    for (const [key, until] of [
      ["over", sampleTime],
      ["live", sampleTime + 1],
    ] as const)
      insert.run(key, 3, until)
    const recent = (key: string) => store.recentAttempts?.(key, sampleTime) as Attempts | undefined
    expect([recent("live"), recent("over"), recent("never")]).toEqual([
      { key: "live", count: 3, resetAt: sampleTime + 1 },
      undefined,
      undefined,
    ])
    insert.run("later", 1, sampleTime + 9)
    expect(recent("later"), "what was counted a moment ago may be missed").toBeUndefined()
    expect(sqliteTokenStore(database, undefined, 0, own).recentAttempts).toBeUndefined()
  })

  test("a sweep surveys rows that lie in their order once, and asks an index where they do not", () => {
    const { database } = opened()
    const sweep = sweepOf(database, [cards])
    const { insert } = tableOf(database, cards)
    insert(cardAt(1))
    expect([sweep(sampleTime), sweep(sampleTime), sweep(sampleTime + 99)]).toEqual([
      { removed: 0, more: true },
      { removed: 0, more: false },
      { removed: 0, more: true },
    ])
    expect([sweep(sampleTime + 100), sweep(sampleTime + 100)]).toMatchObject([{ removed: 1, more: true }, { more: false }])
    const ordered = { ...cards, slotted: false }
    const plain = temporaryDatabase(inMemory, { kinds: [...rowKinds, ordered] })
    tableOf(plain, ordered).insert(cardAt(2))
    const byZones = sweepOf(plain, [ordered])
    expect([byZones(sampleTime), byZones(sampleTime), byZones(sampleTime + 100)]).toEqual([
      { removed: 0, more: true },
      { removed: 0, more: false },
      { removed: 1, more: true },
    ])
    const byIndex = sweepOf(database, [desks])
    const desk = { floor: "one", number: 1, owner: undefined, isOpen: true, things: [], uses: 1, until: sampleTime }
    expect(byIndex(sampleTime)).toEqual({ removed: 0, more: false })
    expect(tableOf(database, desks).insert(desk)).toBe(true)
    database.pragma("query_only = ON")
    expect(byIndex(sampleTime - 1), "nothing is due: no lock is taken").toEqual({ removed: 0, more: false })
    database.pragma("query_only = OFF")
    expect([byIndex(sampleTime), byIndex(sampleTime)]).toEqual([
      { removed: 1, more: true },
      { removed: 0, more: false },
    ])
  })
})

describe("zones of a table whose rows lie in the order they were made", () => {
  const now = sampleTime
  /** A table of rows made so many seconds before now, each of which leaves so many seconds after it. */
  const zoned = (rows: ReadonlyArray<readonly [before: number, until: number]>, size: number) => {
    const database = new Sqlite(inMemory)
    database.exec("CREATE TABLE zoned (locator TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID")
    const insert = database.prepare("INSERT INTO zoned VALUES (?, ?)")
    let count = 0
    const add = (before: number, until: number): void =>
      void insert.run(locatorAt((now - before) * 1000, new Uint8Array([0, 0, 0, 0, count >> 8, count++])), now + until)
    for (const [before, until] of rows) add(before, until)
    const sweep = zoneSweep(database, "zoned", locatorsOf("locator"), "until", size)
    /** Sweeps until there is nothing to look at: how many rows went at each look. */
    const looks = (at: number): ReadonlyArray<number> => {
      const dropped: Array<number> = []
      for (let removed = sweep(now + at); removed !== undefined && dropped.length < 50; removed = sweep(now + at)) dropped.push(removed)
      return dropped
    }
    const left = () =>
      database
        .prepare("SELECT until FROM zoned ORDER BY locator")
        .pluck()
        .all()
        .map((until) => Number(until) - now)
    return { database, add, looks, left, sweep }
  }
  const old = (count: number, until: number) => Array.from({ length: count }, (_, at) => [10_000 - at, until] as const)

  test("each is surveyed once, and looked at again when its first row is over", () => {
    const { looks, left } = zoned(
      [...old(4, 50), ...old(4, 80), ...old(2, 60)].map(([, until], at) => [10_000 - at, until]),
      4,
    )
    expect([looks(0), looks(0), looks(49)]).toEqual([[0, 0, 0], [], []])
    expect([looks(50), left()]).toEqual([[4], [80, 80, 80, 80, 60, 60]])
    expect([looks(60), left(), looks(80), left(), looks(80)]).toEqual([[2], [80, 80, 80, 80], [4], [], []])
  })

  test("rows that came after a survey are a zone of their own, and those of the last are found with it", () => {
    const { looks, add, left } = zoned(old(4, 50), 4)
    expect(looks(0)).toEqual([0])
    add(500, 30)
    add(499, 70)
    expect([looks(0), looks(30), left()]).toEqual([[0], [1], [50, 50, 50, 50, 70]])
    expect([looks(50), looks(70), left()]).toEqual([[4], [1], []])
  })

  test("one is looked at within an hour whatever it held, and within a minute while it is young", () => {
    const settled = zoned(
      [
        [61, 9000],
        [60, 9000],
      ],
      4,
    )
    expect(settled.looks(0)).toEqual([0])
    settled.add(9_999, 1)
    expect([settled.looks(61), settled.looks(3599), settled.looks(3600), settled.left()]).toEqual([[], [], [1], [9000, 9000]])
    const young = zoned(
      [
        [61, 9000],
        [59, 9000],
      ],
      4,
    )
    expect(young.looks(0)).toEqual([0])
    young.add(9_999, 1)
    expect([young.looks(59), young.looks(60), young.left()]).toEqual([[], [1], [9000, 9000]])
  })

  test("small ones become one, as long as it is no larger than a look, and due when the first of them is", () => {
    // Three zones of four; three rows of each leave, and what is left of all is one zone.
    const rows = [50, 50, 50, 90, 51, 51, 51, 80, 52, 52, 52, 70].map((until, at) => [10_000 - at, until] as const)
    const { looks, left } = zoned(rows, 4)
    expect([looks(0), looks(52), left()]).toEqual([
      [0, 0, 0],
      [3, 3, 3],
      [90, 80, 70],
    ])
    expect([looks(69), looks(70), left()]).toEqual([[], [1], [90, 80]])
    expect([looks(90), left()]).toEqual([[2], []])
  })

  test("two of half a look each become one, and of one row more they stay two", () => {
    const halves = zoned(
      [50, 50, 90, 90, 50, 50, 90, 90].map((until, at) => [10_000 - at, until]),
      4,
    )
    expect([halves.looks(0), halves.looks(50), halves.looks(90), halves.left()]).toEqual([[0, 0], [2, 2], [4], []])
    const three = zoned(
      [50, 50, 90, 90, 50, 50, 90, 90, 50, 50, 90, 90].map((until, at) => [10_000 - at, until]),
      4,
    )
    expect([three.looks(0), three.looks(50), three.looks(90), three.left()]).toEqual([[0, 0, 0], [2, 2, 2], [4, 2], []])
    const more = zoned(
      [50, 90, 90, 90, 50, 50, 90, 90].map((until, at) => [10_000 - at, until]),
      4,
    )
    expect([more.looks(0), more.looks(50), more.looks(90), more.left()]).toEqual([[0, 0], [1, 2], [3, 2], []])
  })

  test("nothing is written where nothing is over, in a stretch that is empty too", () => {
    const { database, looks } = zoned(old(3, 50), 4)
    database.pragma("query_only = ON")
    expect(looks(0)).toEqual([0])
    database.pragma("query_only = OFF")
    database.exec("DELETE FROM zoned")
    database.pragma("query_only = ON")
    expect(looks(50)).toEqual([0])
  })
})
