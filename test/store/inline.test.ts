import { statSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { StoreUnavailable } from "@postern/adapter-sqlite"
import { type Command, saveAccessToken } from "@postern/core/model"
import { sampleAccessToken, sampleLocator, sampleTime } from "@postern/core/testing"
import { logOf } from "../../packages/adapter-sqlite/src/database/log.ts"
import { sqliteTokenStore } from "../../packages/adapter-sqlite/src/tokens/tokenStore.ts"
import type { InlineOptions } from "../../packages/adapter-sqlite/src/writer/inline.ts"
import { startWriter } from "../../packages/adapter-sqlite/src/writer/writer.ts"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const save = (order: number): Command => saveAccessToken(sampleAccessToken(order))
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof StoreUnavailable ? error.code : error),
  )

/** A syncing thread that answers each sync with the next of these: an error's code, or null for a sync. */
const answering = (...answers: ReadonlyArray<string | null>): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, workerData } from "node:worker_threads"
      const answers = ${JSON.stringify(answers)}
      for (let seen = 0; ; ) {
        Atomics.wait(workerData.asked, 0, seen)
        seen = Atomics.load(workerData.asked, 0)
        if (seen < 0) break
        parentPort.postMessage(answers.shift() ?? undefined)
      }`)}`,
  )
const dying = new URL("data:text/javascript,setTimeout(() => process.exit(3), 20)")

/** A writer on a database of its own, with whatever is otherwise about the way it writes on the event loop. */
const writing = (otherwise: Partial<InlineOptions> = {}) => {
  const path = temporaryPath()
  // The log is not empty, as when its last process was killed.
  void temporaryStores(path).tokens.commit([save(9_999)])
  const log = logOf(path)
  const store = sqliteTokenStore(log.database, log.reading)
  let written = 0
  const writer = startWriter({
    thread: { path, synchronous: "FULL", patience: 300, trails: { most: 1, age: 1 }, audit: { most: 1, age: 1 } },
    inline: {
      write: (sets) => {
        log.renew()
        written++
        return store.commitTogether(sets)
      },
      log: `${path}-wal`,
      ...otherwise,
    },
    onWritten: log.renew,
  })
  return { path, writer, store, written: () => written, close: async () => (await writer.close(), log.close()) }
}

describe("commits on the event loop", () => {
  it("are seen at once and answered when the log was synced; what changes nothing is answered no sooner than what it has seen", async () => {
    const { writer, store, close } = writing()
    const order: Array<string> = []
    const committed = writer.commit([save(1)]).then(() => order.push("committed"))
    while (store.findAccessToken(sampleLocator(1)) === undefined) await new Promise((next) => setImmediate(next))
    expect(order).toEqual([])
    const durable = writer.durable()
    expect(durable).toBeInstanceOf(Promise)
    await durable?.then(() => order.push("durable"))
    await committed
    expect(order.toSorted()).toEqual(["committed", "durable"])
    expect(writer.durable()).toBeUndefined()
    await close()
  })

  it("leave to the thread what another process' lock holds up, and write themselves again after it", async () => {
    const { path, writer, written, close } = writing()
    const other = temporaryDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    expect(await codeOf(writer.commit([save(1)]))).toBe("SQLITE_BUSY")
    expect(written()).toBe(5)
    other.exec("ROLLBACK")
    expect(await writer.commit([save(2)])).toBe("Committed")
    expect(written()).toBe(6)
    await close()
  })

  it("try again where another process has the lock for a moment: the thread is not asked", async () => {
    let tried = 0
    const { writer, store, close } = writing({
      write: (sets) => {
        if (++tried < 5) throw new StoreUnavailable("commit", "SQLITE_BUSY")
        return store.commitTogether(sets)
      },
    })
    expect(await writer.commit([save(1)])).toBe("Committed")
    expect(tried).toBe(5)
    await close()
  })

  it("leave all to the thread for a while once writing took long, as on a disk that cannot keep up", async () => {
    let now = 0
    let step = 0
    const { writer, written, close } = writing({ clock: () => (now += step) })
    let order = 0
    /** Reports whether the event loop writes, `after` so many milliseconds, and lets it take `long`. */
    const writesInline = async (after: number, long = false): Promise<boolean> => {
      now += after
      step = long ? 30 : 0
      const before = written()
      await writer.commit([save(++order)])
      return written() > before
    }
    expect([await writesInline(0), await writesInline(0, true)]).toEqual([true, true])
    // Each time twice as long as before, up to ten seconds: a disk that cannot keep up is asked ever less often.
    for (const rest of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
      expect([await writesInline(rest - 100), await writesInline(100, true)], `${rest} ms`).toEqual([false, true])
    // After a good minute it is forgotten.
    expect([await writesInline(71_000, true), await writesInline(400), await writesInline(100)]).toEqual([true, false, true])
    await close()
  })

  it("nobody knows of what a sync failed for; nothing is written behind it until all of the log is in the database; then it heals", async () => {
    const { writer, store, close } = writing({ script: answering("EIO", null, null) })
    const failed = await writer.commit([save(1)]).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: "LOST", uncertain: true })
    expect(writer.failing()).toMatchObject({ code: "LOST" })
    const refused = await writer.commit([save(2)]).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: "SQLITE_IOERR_FSYNC", uncertain: false })
    expect(store.findAccessToken(sampleLocator(2))).toBeUndefined()
    for (let tries = 0; writer.failing() !== undefined && tries < 200; tries++) await pause(50)
    expect(await writer.commit([save(3)])).toBe("Committed")
    expect(writer.failing()).toBeUndefined()
    await close()
  })

  it("a syncing thread that dies leaves its commit unknown, and another is started", async () => {
    const { writer, close } = writing({ script: dying })
    expect(await writer.commit([save(1)]).catch((error: unknown) => error)).toMatchObject({ code: "LOST", uncertain: true })
    expect(await codeOf(writer.commit([save(2)]))).toBe("SQLITE_IOERR_FSYNC")
    await close()
  })

  it("a syncing thread that cannot be started leaves its commit unknown; once all is on disk, no answer waits for that sync", async () => {
    const { writer, close } = writing({ script: new URL("https://op.example/thread.js") })
    expect(await writer.commit([save(1)]).catch((error: unknown) => error)).toMatchObject({ code: "LOST", uncertain: true })
    for (let tries = 0; writer.failing() !== undefined && tries < 200; tries++) await pause(50)
    expect(writer.failing()).toBeUndefined()
    expect(writer.durable()).toBeUndefined()
    await close()
  })

  it("the log is brought into the database while it goes on, and begins anew: it does not grow with what is written", async () => {
    const { path, writer, close } = writing()
    for (let order = 0; order < 1100; order++) await writer.commit([save(order)])
    // Each of these commits is some three pages, so it would be more than twelve megabytes; a slow machine lets more of it come together.
    expect(statSync(`${path}-wal`).size).toBeLessThan(9 * 1024 * 1024)
    const count = temporaryDatabase(path).prepare("SELECT count(*) FROM access_tokens").pluck()
    expect(count.get()).toBe(1101)
    await close()
  })

  it("a database where a commit need not be on disk is not synced at all", async () => {
    const { writer, close } = writing({ log: undefined, script: answering("EIO") })
    expect(await writer.commit([save(1)])).toBe("Committed")
    await close()
  })

  it("what a process that was killed left in the log is on disk before anything is written behind it", async () => {
    const { path, writer, close } = writing()
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    await writer.sweep(sampleTime)
    expect(statSync(`${path}-wal`).size).toBe(0)
    await close()
  })
})
