import { type Command, countAttempt, saveGrant, useOnce, uses } from "@postern/core/model"
import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { sampleGrant, sampleTime as at } from "@postern/core/testing"
import { describe, expect, it } from "vitest"
import { spentIn } from "../../packages/adapter-sqlite/src/tokens/spent.ts"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const use = (key: string, until = at + 60, time = at): Command => useOnce(key, time, until)

/** Two processes on one file, as far as SQLite can tell. */
const twoOnOneFile = () => {
  const path = temporaryPath()
  const databases = [temporaryDatabase(path), temporaryDatabase(path)] as const
  const [one, other] = [sqliteTokenStore(databases[0]), sqliteTokenStore(databases[1])]
  const rows = (): unknown => databases[0].prepare("SELECT key, expires_at FROM uses ORDER BY number").raw().all()
  return { path, one, other, rows }
}

describe("a value that may be used once, on SQLite (RFC 9449 §11.1, RFC 7523 §3)", () => {
  it("is used up for every connection, whether or not that has looked for it, until its time is over", () => {
    const { one, other } = twoOnOneFile()
    expect([one.commit([use("a")]), other.commit([use("a")]), one.commit([use("a")])]).toEqual(["Committed", "Conflict", "Conflict"])
    for (const store of [one, other]) expect(store.find(uses, { key: "a" })).toEqual({ key: "a", expiresAt: at + 60 })
    expect([other.commit([use("b")]), one.commit([use("b")]), one.commit([use("c")]), other.commit([use("c")])]).toEqual([
      "Committed",
      "Conflict",
      "Committed",
      "Conflict",
    ])
    expect(other.commit([use("a", at + 120, at + 59)])).toBe("Conflict")
    expect(other.commit([use("a", at + 120, at + 60)])).toBe("Committed")
    expect(one.commit([use("a", at + 180, at + 119)])).toBe("Conflict")
  })

  it("is used up after a restart", () => {
    const { path, one } = twoOnOneFile()
    void one.commit([use("a"), use("b", at + 90)])
    const again = sqliteTokenStore(temporaryDatabase(path))
    expect([again.commit([use("a")]), again.commit([use("b", at + 200, at + 89)]), again.commit([use("c")])]).toEqual([
      "Conflict",
      "Conflict",
      "Committed",
    ])
  })

  it("is used up after a restart, before and after all uses of earlier are read, which is done in steps", async () => {
    const { path, one } = twoOnOneFile()
    const keys = Array.from({ length: 2500 }, (_, number) => `k${number}`)
    void one.commit(keys.map((key) => use(key)))
    const again = sqliteTokenStore(temporaryDatabase(path))
    const found = (): ReadonlyArray<boolean> => ["k7", "k2400"].map((key) => again.find(uses, { key }) !== undefined)
    expect([again.catchUp(), found(), again.catchUp(), again.catchUp(), found()]).toEqual([false, [true, false], false, true, [true, true]])
    const [early, threaded] = [sqliteTokenStore(temporaryDatabase(path)), temporaryStores(path, { thread: true, now: () => at })]
    expect([early.catchUp(), early.commit([use("k2400")]), early.commit([use("new")])]).toEqual([false, "Conflict", "Committed"])
    expect([await threaded.tokens.commit([use("k2400")]), await threaded.tokens.commit([use("newer")])]).toEqual(["Conflict", "Committed"])
    threaded.serving?.()
    expect([await threaded.tokens.commit([use("k2400")]), early.commit([use("newer")])]).toEqual(["Conflict", "Conflict"])
  })

  it("is sought among those of earlier that are not read yet: no commit reads them all, nor does a sweep", () => {
    const { path, one } = twoOnOneFile()
    void one.commit(Array.from({ length: 5000 }, (_, number) => use(`k${number}`)))
    const spent = spentIn(temporaryDatabase(path))
    spent.refresh()
    expect(spent.remembered(), "a sweep before the first look").toBe(0)
    spent.seek(["k4998", "k4999", "new"])
    expect(spent.remembered(), "a step of a thousand, two that were sought, and the moment at which all end").toBe(1003)
    expect(["k4998", "k4999", "k4997"].map(spent.find)).toEqual([at + 60, at + 60, undefined])
    spent.lookAgain()
    expect(spent.find("k4997"), "once a commit has failed").toBe(at + 60)

    const store = sqliteTokenStore(temporaryDatabase(path))
    expect([store.commit([use("k4999")]), store.commit([use("new")]), one.commit([use("new")])]).toEqual([
      "Conflict",
      "Committed",
      "Conflict",
    ])
    // A value that is used again after its time is not taken for its use before, whichever is read first.
    expect(store.commit([use("k4998", at + 120, at + 60)])).toBe("Committed")
    while (!store.catchUp());
    expect(store.find(uses, { key: "k4998" })).toEqual({ key: "k4998", expiresAt: at + 120 })
    expect(one.commit([use("k4998", at + 180, at + 119)])).toBe("Conflict")
  })

  it("is known after a start with a clock that is fast: no row is passed over before a sweep drops it", async () => {
    const { path, one } = twoOnOneFile()
    void one.commit([use("a"), use("b", at + 10)])
    const late = spentIn(temporaryDatabase(path))
    expect([late.catchUp(), late.find("a"), late.find("b")]).toEqual([true, at + 60, at + 10])
    const fast = temporaryStores(path, { thread: true, now: () => at + 3600 })
    fast.serving()
    expect(fast.tokens.find(uses, { key: "a" })).toEqual({ key: "a", expiresAt: at + 60 })
    expect([await fast.tokens.commit([use("a")]), await fast.tokens.commit([use("a", at + 120, at + 60)])]).toEqual([
      "Conflict",
      "Committed",
    ])
  })

  it("is not read by a process that writes for others and looks none up itself", async () => {
    const { path, one } = twoOnOneFile()
    void one.commit(Array.from({ length: 2500 }, (_, number) => use(`k${number}`)))
    const isAllRead = async (more: { readonly writing?: "shared" }): Promise<boolean> => {
      const stores = temporaryStores(path, { thread: true, ...more })
      stores.serving()
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
      // One step more reads what is left only where the others were made.
      return stores.tokens.catchUp()
    }
    expect([await isAllRead({}), await isAllRead({ writing: "shared" })]).toEqual([true, false])
  })

  it("is used up by a set that is committed, and by none that is not: alone, among others, or twice in one", () => {
    const { one, other, rows } = twoOnOneFile()
    const fails = [use("lost"), saveGrant(sampleGrant(1)), saveGrant(sampleGrant(1))]
    expect(one.commit(fails)).toBe("Conflict")
    expect(one.find(uses, { key: "lost" })).toBeUndefined()
    expect(one.commitTogether([[use("a")], fails, [use("a")], [use("b"), use("b")], [use("c")]])).toEqual([
      "Committed",
      "Conflict",
      "Conflict",
      "Conflict",
      "Committed",
    ])
    expect(rows()).toEqual([
      ["a", at + 60],
      ["c", at + 60],
    ])
    for (const store of [one, other]) {
      expect(store.commit([use("a")])).toBe("Conflict")
      expect(["a", "b", "c", "lost"].map((key) => store.find(uses, { key }) !== undefined)).toEqual([true, false, true, false])
    }
    expect(other.commitTogether([[use("b")], [use("lost")]])).toEqual(["Committed", "Committed"])
  })

  it("takes back the use after its time where its set fails: the one before it counts again", () => {
    const { one } = twoOnOneFile()
    void one.commit([use("a")])
    const later = use("a", at + 900, at + 60)
    expect(one.commit([later, saveGrant(sampleGrant(1)), saveGrant(sampleGrant(1))])).toBe("Conflict")
    expect(one.find(uses, { key: "a" })).toEqual({ key: "a", expiresAt: at + 60 })
    expect(one.commit([later])).toBe("Committed")
  })

  it("is not what is counted under the same key", () => {
    const { one } = twoOnOneFile()
    void one.commit([use("a"), countAttempt("a", at, at + 9)])
    expect([one.findAttempts("a"), one.find(uses, { key: "a" })]).toEqual([
      { key: "a", count: 1, resetAt: at + 9 },
      { key: "a", expiresAt: at + 60 },
    ])
  })

  it("leaves the memory of a connection with its sweep, whoever swept its row", () => {
    const { one, other, rows } = twoOnOneFile()
    void one.commit([use("a", at + 10), use("b", at + 20), use("c", at + 10)])
    void other.commit([use("d", at + 10)])
    expect(one.sweep(at + 9)).toEqual({ removed: 0, more: false })
    expect(one.sweep(at + 10).removed).toBe(3)
    expect(other.sweep(at + 10).removed).toBe(0)
    for (const store of [one, other])
      expect(["a", "b", "c", "d"].map((key) => store.find(uses, { key }) !== undefined)).toEqual([false, true, false, false])
    expect(one.sweep(at + 20).removed).toBe(1)
    expect(rows()).toEqual([])
    // Numbers are not given twice: the other connection sees what comes after all was swept.
    expect([one.commit([use("e", at + 80)]), other.commit([use("e", at + 90)])]).toEqual(["Committed", "Conflict"])
  })

  it("is remembered from its commit to its sweep, and what is taken back is forgotten at once", () => {
    const database = temporaryDatabase(temporaryPath())
    const spent = spentIn(database)
    for (const command of [use("a", at + 10), use("b", at + 20), use("c", at + 10)]) expect(spent.claim(command)).toBe(true)
    expect([spent.remembered(), spent.mark()]).toEqual([3, 3])
    spent.keep()
    // Three values, which end at two moments.
    expect([spent.remembered(), spent.mark()]).toEqual([5, 0])
    database.exec("BEGIN")
    for (const command of [use("d"), use("d", at + 120, at + 60), use("a", at + 90, at + 10)]) expect(spent.claim(command)).toBe(true)
    expect(spent.mark()).toBe(3)
    database.exec("ROLLBACK")
    spent.takeBack(0)
    expect([spent.remembered(), spent.mark(), spent.find("d")]).toEqual([5, 0, undefined])
    expect(spent.claim(use("a", at + 90, at + 9))).toBe(false)
    database.prepare("DELETE FROM uses WHERE expires_at = ?").run(at + 10)
    spent.refresh()
    expect([spent.remembered(), spent.find("a"), spent.find("b"), spent.find("c")]).toEqual([2, undefined, at + 20, undefined])
    database.prepare("DELETE FROM uses").run()
    spent.refresh()
    expect(spent.remembered()).toBe(0)
  })

  it("was used up by an older version too, when the file is upgraded", () => {
    const path = temporaryPath()
    const before = migrations.findIndex(({ name }) => name.includes("used once"))
    const old = temporaryDatabase(path, { steps: migrations.slice(0, before), kinds: [] })
    old.prepare("INSERT INTO attempts (key, count, reset_at) VALUES (?, ?, ?)").run("a", 1, at + 60)
    old.close()
    const store = sqliteTokenStore(temporaryDatabase(path))
    expect([store.commit([use("a")]), store.commit([use("b")])]).toEqual(["Conflict", "Committed"])
  })
})
