import {
  type AccessToken,
  insertion,
  type Locator,
  locatorAt,
  putting,
  type RowKind,
  revokeAccessToken,
  rowKind,
  rowKinds,
  saveAccessToken,
} from "@postern/core/model"
import { memoryTokenStore } from "@postern/core/memory"
import { inMemory, type SqliteTokenStore, sqliteTokenStore } from "@postern/adapter-sqlite"
import type { FoundAccessToken } from "@postern/core/ports"
import { sampleAccessToken, sampleGrant, sampleTime } from "@postern/core/testing"
import fc from "fast-check"
import Sqlite from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { moveToSlots } from "../../packages/adapter-sqlite/src/database/moveToSlots.ts"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"
import { slotOf, slotsOfOne, slotTime } from "../../packages/adapter-sqlite/src/database/slots.ts"
import { applyTo } from "../../packages/adapter-sqlite/src/tokens/commands.ts"
import { accessTokens } from "../../packages/core/src/model/kinds/accessTokens.ts"
import { grants } from "../../packages/core/src/model/kinds/grants.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"
import { upgrading } from "../../packages/cli/src/data/upgrading.ts"

const millis = sampleTime * 1000

/** Locators of one slot: their chance differs in the bits that a slot has no room for. */
const sharing = (count: number, at = millis): ReadonlyArray<Locator> =>
  Array.from({ length: count }, (_, each) => locatorAt(at, new Uint8Array([0, 0, each, 0, 0, 7])))

const tokenOf = (locator: Locator, more: Partial<AccessToken> = {}): AccessToken => ({
  ...sampleAccessToken(1, { grantId: undefined, ...more }),
  locator,
})

/** The token of a locator: stores of one process answer at once. */
const foundIn =
  (store: SqliteTokenStore) =>
  (locator: Locator): AccessToken | undefined =>
    (store.findAccessToken(locator) as FoundAccessToken | undefined)?.token

const before = migrations.findIndex(({ name }) => name.includes("found by number"))

/** A file as the version before slots left it, with these tokens. */
const oldFile = (tokens: ReadonlyArray<AccessToken>): string => {
  const path = temporaryPath()
  const old = temporaryDatabase(path, { steps: migrations.slice(0, before) })
  const insert = old.prepare(
    "INSERT INTO access_tokens (locator, digest, client_id, scope, audience, created_at, expires_at, keep_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  )
  for (const { locator, digest, clientId, scope, audience, createdAt, expiresAt, keepUntil } of tokens)
    insert.run(locator, digest, clientId, JSON.stringify(scope), JSON.stringify(audience), createdAt, expiresAt, keepUntil)
  old.close()
  return path
}

describe("slots", () => {
  it("sort as locators were made, hold their time, and are even: an odd one is SQLite's own", () => {
    const time = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2089) })
    const chance = fc.uint8Array({ minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(time, chance, time, chance, (one, of, two, and) => {
        const [left, right] = [slotOf(locatorAt(one, of)), slotOf(locatorAt(two, and))]
        expect([slotTime(left), slotTime(right)]).toEqual([one, two])
        if (one !== two) expect(left < right).toBe(one < two)
        expect((left % 2n) + (right % 2n)).toBe(0n)
      }),
    )
  })

  it("exist for every text, so that every row has one that a database holds", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (text) => {
        const slot = slotOf(text)
        expect(BigInt.asIntN(64, slot + 2n * BigInt(slotsOfOne))).toBe(slot + 2n * BigInt(slotsOfOne))
      }),
    )
    expect([slotOf(locatorAt(0, new Uint8Array(6))), slotOf("0".repeat(16))]).toEqual([-(2n ** 63n), -(2n ** 63n)])
  })
})

describe("rows that share a slot", () => {
  it("a token whose slot is another's is not saved: it conflicts, as the same token twice does, and is decided again with fresh chance", () => {
    const store = sqliteTokenStore(temporaryDatabase(inMemory))
    const [first = "", second = ""] = sharing(2)
    expect(slotOf(first)).toBe(slotOf(second))
    expect(store.commit([saveAccessToken(tokenOf(first))])).toBe("Committed")
    expect([store.commit([saveAccessToken(tokenOf(second))]), store.commit([saveAccessToken(tokenOf(first))])]).toEqual([
      "Conflict",
      "Conflict",
    ])
    const found = foundIn(store)
    expect([found(first), found(second)]).toEqual([tokenOf(first), undefined])
  })

  it("an event of one locator changes nothing of another's row in its slot", () => {
    const store = sqliteTokenStore(temporaryDatabase(inMemory))
    const [first = "", second = ""] = sharing(2)
    const found = foundIn(store)
    void store.commit([saveAccessToken(tokenOf(first))])
    expect(store.commit([revokeAccessToken(second, sampleTime)])).toBe("Committed")
    expect(found(first)?.revokedAt).toBeUndefined()
    void store.commit([revokeAccessToken(first, sampleTime)])
    expect(found(first)?.revokedAt).toBe(sampleTime)
  })

  it("an upgrade keeps each, in the next slots; each is found, revoked and swept alone", () => {
    const locators = [...sharing(slotsOfOne), ...sharing(2, millis + 1), locatorAt(millis - 5, new Uint8Array(6))]
    const tokens = locators.map((locator, at) => tokenOf(locator, { keepUntil: sampleTime + at }))
    const store = sqliteTokenStore(temporaryDatabase(oldFile(tokens)))
    const there = () => locators.map(foundIn(store))
    expect(there()).toEqual(tokens)
    void store.commit([revokeAccessToken(locators[3] ?? "", 5)])
    expect(there().map((token) => token?.revokedAt)).toEqual(tokens.map((_, at) => (at === 3 ? 5 : undefined)))
    void store.sweep(sampleTime + 4)
    expect(there().map((token) => token?.keepUntil)).toEqual(tokens.map((_, at) => (at <= 4 ? undefined : sampleTime + at)))
  })

  it("an upgrade of more in one slot than are looked for is refused, and the file stays as it was", () => {
    const path = oldFile(sharing(slotsOfOne + 1).map((locator) => tokenOf(locator)))
    expect(() => temporaryDatabase(path)).toThrow(`more than ${slotsOfOne} of its access_tokens were made at one moment by one chance`)
    const left = temporaryDatabase(path, { steps: migrations.slice(0, before) })
    expect(left.prepare("SELECT count(*) FROM access_tokens").pluck().get()).toBe(slotsOfOne + 1)
  })

  it("the store of slots answers as the one in memory, whatever is saved and revoked in whatever order", () => {
    const locators = Array.from({ length: 12 }, (_, at) => locatorAt(millis + (at % 3), new Uint8Array([1, 2, 3, 4, at, at])))
    const step = fc.tuple(fc.constantFrom(...locators), fc.boolean(), fc.nat(9))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const stores = [sqliteTokenStore(temporaryDatabase(inMemory)), memoryTokenStore()] as const
        for (const [locator, saves, at] of steps) {
          const command = saves ? saveAccessToken(tokenOf(locator, { createdAt: at })) : revokeAccessToken(locator, at)
          const [left, right] = stores.map((store) => store.commit([command]))
          expect(left).toEqual(right)
        }
        for (const locator of locators) expect(stores[0].findAccessToken(locator)).toEqual(stores[1].findAccessToken(locator))
      }),
      { numRuns: 60 },
    )
  })
})

describe("the table of slots", () => {
  it("refuses a row of a process of an older version, which gives no slot", () => {
    for (const rows of [0, 3]) {
      const database = temporaryDatabase(inMemory)
      const store = sqliteTokenStore(database)
      for (let at = 0; at < rows; at++) void store.commit([saveAccessToken(tokenOf(locatorAt(millis + at, new Uint8Array(6))))])
      const old = database.prepare(
        "INSERT INTO access_tokens (locator, digest, client_id, scope, audience, created_at, expires_at, keep_until) VALUES ('a', 'b', 'c', '[]', '[]', 1, 1, 1) ON CONFLICT DO NOTHING",
      )
      expect(() => old.run()).toThrow(/CHECK constraint failed/)
    }
  })

  it("looks rows up by their number, and reads no other", () => {
    const database = temporaryDatabase(inMemory)
    const plan = database.prepare("EXPLAIN QUERY PLAN SELECT digest FROM access_tokens WHERE slot BETWEEN ? AND ? + 14 AND locator = ?")
    expect(plan.all(1n, 1n, "a")).toMatchObject([{ detail: "SEARCH access_tokens USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" }])
  })

  it("is for rows that do not descend from others", () => {
    const kind: RowKind = { ...grants, slotted: true }
    expect(() => applyTo(temporaryDatabase(inMemory), [kind])).toThrow("rows that descend from others are not slotted")
    expect([accessTokens.slotted, accessTokens.descent, sampleGrant(1).parentId]).toEqual([true, undefined, undefined])
  })

  it("is for rows that are inserted by one event and changed by others", () => {
    const change = { when: [["revokedAt", "unset"]], change: "replace" } as const
    const kind: RowKind = { ...accessTokens, events: { PutAccessToken: { ways: [{ when: "absent", change: "insert" }, change] } } }
    const prepare = () => applyTo(temporaryDatabase(inMemory), [kind])
    expect(prepare).toThrow(TypeError)
    expect(prepare).toThrow("access_tokens: rows of which PutAccessToken inserts one or changes the one there is are not slotted")
    for (const way of [{ when: "absent", change: "insert" } as const, change])
      expect(() => applyTo(temporaryDatabase(inMemory), [{ ...kind, events: { PutAccessToken: { ways: [way] } } }])).not.toThrow()
  })

  it("is made for a feature whose rows are described so, and a table that was made without slots is refused", () => {
    interface Note {
      readonly locator: Locator
      readonly keepUntil: number
    }
    const described = (slotted: boolean) =>
      rowKind<Note>(
        "notes_kept",
        { locator: "text", keepUntil: "integer" },
        {
          key: ["locator"],
          ordered: true,
          slotted,
          keptUntil: "keepUntil",
          events: { SaveNote: insertion },
        },
      )
    const kinds = [...rowKinds, described(true)]
    const store = sqliteTokenStore(temporaryDatabase(inMemory, { kinds }), undefined, 0, kinds)
    const note = { locator: sharing(1)[0] ?? "", keepUntil: sampleTime }
    const save = [putting(described(true), "SaveNote", note)]
    expect([store.commit(save), store.commit(save), store.find(described(true), { locator: note.locator })]).toEqual([
      "Committed",
      "Conflict",
      note,
    ])
    void store.sweep(sampleTime)
    expect(store.find(described(true), { locator: note.locator })).toBeUndefined()
    const path = temporaryPath()
    temporaryDatabase(path, { kinds: [...rowKinds, described(false)] }).close()
    expect(() => temporaryDatabase(path, { kinds })).toThrow(
      "table notes_kept: its rows have no slots; name another table, or describe them without",
    )
  })

  it("tells of a long upgrade, how far it is, and of a short one nothing", () => {
    const told: Array<string> = []
    let now = 0
    const tell = upgrading(
      () => now,
      (line) => void told.push(line),
    )
    tell(1000, 1000)
    for (let moved = 50_000; moved <= 300_000; moved += 50_000, now += 900) tell(moved, 300_000)
    expect(told).toEqual([
      "upgrading the database: 50000 of 300000 rows moved",
      "upgrading the database: 200000 of 300000 rows moved",
      "upgrading the database: 300000 of 300000 rows moved; the old table is being removed",
    ])
    const seen: Array<readonly [number, number]> = []
    const database = new Sqlite(inMemory)
    database.exec("CREATE TABLE a (locator TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE b (slot INTEGER PRIMARY KEY, locator TEXT)")
    database.exec("INSERT INTO a VALUES ('x'), ('y')")
    moveToSlots(database, "a", "b", (moved, all) => void seen.push([moved, all]))
    expect(seen).toEqual([[2, 2]])
  })
})
