import { statSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"
import { sqliteTokenStore, startSweeping, StoreUnavailable } from "@postern/adapter-sqlite"
import { type Command, saveAccessToken, saveGrant } from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const save = (order: number): Command => saveAccessToken(sampleAccessToken(order))

const failure = async (run: () => unknown): Promise<StoreUnavailable> => {
  try {
    await run()
  } catch (error) {
    if (error instanceof StoreUnavailable) return error
    throw error
  }
  throw new Error("it did not fail")
}

describe("a database that cannot do what is asked", () => {
  it("locked by another process for longer than the busy timeout: StoreUnavailable, reads go on, and it heals", async () => {
    const path = temporaryPath()
    const store = sqliteTokenStore(temporaryDatabase(path, { busyTimeout: 30 }))
    void store.commit([save(1)])
    const other = temporaryDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    const error = await failure(() => store.commit([save(2)]))
    expect([error.operation, error.code]).toEqual(["commit", "SQLITE_BUSY"])
    expect(error.message).not.toMatch(/INSERT|access_tokens/)
    expect(await store.findAccessToken(sampleLocator(1))).toBeDefined()
    other.exec("ROLLBACK")
    expect(store.commit([save(2)])).toBe("Committed")
  })

  it("a sweep and a trail wait for no lock: the event loop goes on, and they are tried again", async () => {
    const path = temporaryPath()
    const stores = temporaryStores(path, { busyTimeout: 5000, now: () => sampleTime + 10_000 })
    void stores.tokens.commit([save(1)])
    const other = temporaryDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    const began = performance.now()
    expect((await failure(() => stores.sweep())).code).toBe("SQLITE_BUSY")
    stores.trails.record(() => ({ ...trail, requestId: "later" }), true)
    void stores.trails.flush()
    expect(performance.now() - began).toBeLessThan(1000)
    expect(stores.database.pragma("busy_timeout", { simple: true })).toBe(5000)
    other.exec("ROLLBACK")
    expect((await stores.sweep()).removed).toBe(1)
    expect(stores.trails.find("later")).toMatchObject({ requestId: "later" })
    expect(stores.trails.dropped()).toBe(0)
  })

  it("full: StoreUnavailable, nothing half written, and it heals when there is room again", async () => {
    const database = temporaryDatabase()
    const store = sqliteTokenStore(database)
    void store.commit([saveGrant(sampleGrant(1))])
    const pages = Number(database.pragma("page_count", { simple: true }))
    database.pragma(`max_page_count = ${pages}`)
    const many = Array.from({ length: 500 }, (_, order) => save(order))
    expect((await failure(() => store.commit(many))).code).toBe("SQLITE_FULL")
    expect(await store.findAccessToken(sampleLocator(0))).toBeUndefined()
    expect(await store.findGrant(sampleLocator(1))).toEqual(sampleGrant(1))
    database.pragma("max_page_count = 1000000")
    expect(store.commit(many)).toBe("Committed")
  })

  it("read-only: StoreUnavailable on writes, reads go on", async () => {
    const database = temporaryDatabase()
    const store = sqliteTokenStore(database)
    void store.commit([save(1)])
    database.pragma("query_only = ON")
    expect((await failure(() => store.commit([save(2)]))).code).toMatch(/^SQLITE_READONLY/)
    expect(await store.findAccessToken(sampleLocator(1))).toBeDefined()
  })

  it("closed: StoreUnavailable, from reads and writes", async () => {
    const stores = temporaryStores()
    void stores.close()
    void stores.close()
    expect((await failure(() => stores.tokens.commit([save(1)]))).code).toBe("CLOSED")
    expect((await failure(() => stores.tokens.findGrant(sampleLocator(1)))).code).toBe("CLOSED")
    expect((await failure(() => stores.clients.find("client"))).code).toBe("CLOSED")
    expect((await failure(() => stores.people.find("subject"))).code).toBe("CLOSED")
    expect((await failure(() => stores.keys.list())).code).toBe("CLOSED")
  })

  it("a row damaged by hand: StoreUnavailable, and its neighbors are read", async () => {
    const database = temporaryDatabase()
    const store = sqliteTokenStore(database)
    void store.commit([save(1), save(2)])
    database.prepare("UPDATE access_tokens SET scope = '[' WHERE locator = ?").run(sampleLocator(1))
    expect((await failure(() => store.findAccessToken(sampleLocator(1)))).code).toBe("DAMAGED_ROW")
    expect(await store.findAccessToken(sampleLocator(2))).toBeDefined()
  })
})

describe("sweeping in the background", () => {
  it("drops what has expired slice by slice, tells of a failure, and stops when told", async () => {
    const rounds = [{ removed: 3, more: true }, new Error("locked"), { removed: 1, more: true }, { removed: 0, more: false }]
    const failures: Array<unknown> = []
    let calls = 0
    const stop = await new Promise<() => void>((resolve) => {
      const stopper = startSweeping(
        {
          sweep: () => {
            const round = rounds[Math.min(calls++, 3)] ?? { removed: 0, more: false }
            if (calls > 4) resolve(stopper)
            if (round instanceof Error) throw round
            return round
          },
        },
        { idle: 1, busy: 1, failed: (error) => failures.push(error) },
      )
    })
    stop()
    expect(failures).toEqual([new Error("locked")])
  })

  it("takes its time while others commit, hurries when it does not come to an end, and takes its time again after it", async () => {
    vi.useFakeTimers()
    try {
      let [slices, left] = [0, 7]
      const sweep = (): { removed: number; more: boolean } => (slices++, { removed: 1, more: left-- > 0 })
      const stop = startSweeping({ sweep }, { idle: 1000, busy: 50, behind: { after: 3, pause: 10 } })
      const gaps: Array<number> = []
      for (let at = 0, last = 0, seen = 0; gaps.length < 11; at += 10) {
        await vi.advanceTimersByTimeAsync(10)
        if (slices === seen) continue
        seen = slices
        gaps.push(at + 10 - last)
        last = at + 10
        if (gaps.length === 9) left = 1
      }
      stop()
      expect(gaps).toEqual([50, 50, 50, 50, 10, 10, 10, 10, 1000, 1000, 50])
    } finally {
      vi.useRealTimers()
    }
  })

  it("the file does not grow without end: swept pages are used again", () => {
    const path = temporaryPath()
    const database = temporaryDatabase(path, { synchronous: "NORMAL" })
    const store = sqliteTokenStore(database)
    const sizes: Array<number> = []
    for (let round = 0; round < 12; round++) {
      const now = sampleTime + round * 1000
      void store.commit(
        Array.from({ length: 3000 }, (_, each): Command => {
          const order = round * 1_000_000 + each
          return saveAccessToken(sampleAccessToken(order, { keepUntil: now + 500 }))
        }),
      )
      while (store.sweep(now).more);
      database.pragma("wal_checkpoint(TRUNCATE)")
      sizes.push(statSync(path).size)
    }
    expect(sizes.at(-1)).toBe(sizes[3])
  })
})

const trail = {
  requestId: "request",
  at: sampleTime,
  endpoint: "token",
  clientId: undefined,
  subject: undefined,
  steps: [],
  outcome: "Refuse",
  status: 400,
  fault: undefined,
}
