import { syncBuiltinESMExports } from "node:module"
import threads from "node:worker_threads"
import { describe, expect, it, onTestFinished } from "vitest"
import { type SqliteStores, StoreUnavailable } from "@postern/adapter-sqlite"
import { type Command, type Trail, consumeCode, saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleGrant, sampleLocator, sampleTime, tokenStoreContract } from "@postern/core/testing"
import { askingThread } from "../../packages/adapter-sqlite/src/writer/asking.ts"
import type { Outcome } from "../../packages/adapter-sqlite/src/writer/protocol.ts"
import { syncerOf } from "../../packages/adapter-sqlite/src/writer/syncer.ts"
import { startWriter } from "../../packages/adapter-sqlite/src/writer/writer.ts"
import { emptyPath, temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const save = (order: number): Command => saveAccessToken(sampleAccessToken(order))
const threaded = (path = emptyPath(), busyTimeout = 900): SqliteStores => temporaryStores(path, { thread: true, busyTimeout })
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof StoreUnavailable ? error.code : error),
  )
const nowhere = { path: "", synchronous: "FULL", patience: 1, trails: { most: 1, age: 1 }, audit: { most: 1, age: 1 } } as const
const trail = (requestId: string): Trail => ({
  requestId,
  at: sampleTime,
  endpoint: "token",
  clientId: undefined,
  subject: undefined,
  steps: [],
  outcome: "RefuseJson",
  status: 400,
  fault: undefined,
})

describe("token store contract: SQLite with a writing thread", () => {
  // The thread adds the way there and back; the rest of the contract runs on the store itself.
  for (const { name, run } of tokenStoreContract.filter((_, at) => at % 8 === 0))
    it(name, () =>
      run(() => {
        const stores = threaded()
        return { store: stores.tokens, sweep: stores.sweep }
      }),
    )
})

describe("the writing thread", () => {
  it("what arrives together is committed together, each set whole or not at all, in the order it came", async () => {
    const { tokens } = threaded()
    await tokens.commit([saveCode(sampleCode(500))])
    const consume: Command = consumeCode(sampleLocator(500), sampleTime, 0)
    const results = await Promise.all([
      ...Array.from({ length: 200 }, async (_, order) => tokens.commit([save(order)])),
      tokens.commit([save(300), consume]),
      tokens.commit([save(301), consume]),
    ])
    expect(results.slice(0, 201)).toEqual(Array.from({ length: 201 }, () => "Committed"))
    expect(results.at(-1)).toBe("Conflict")
    expect(await tokens.findAccessToken(sampleLocator(199))).toBeDefined()
    expect(await tokens.findAccessToken(sampleLocator(300))).toBeDefined()
    expect(await tokens.findAccessToken(sampleLocator(301))).toBeUndefined()
  })

  it("a set that the database cannot take fails alone; those beside it are committed", async () => {
    const { tokens } = threaded()
    const odd = { ...sampleAccessToken(7), expiresAt: 0.5 }
    const results = await Promise.all([
      codeOf(Promise.resolve(tokens.commit([save(1)]))),
      codeOf(Promise.resolve(tokens.commit([save(2)]))),
      codeOf(Promise.resolve(tokens.commit([save(8), saveAccessToken(odd)]))),
      codeOf(Promise.resolve(tokens.commit([save(3)]))),
    ])
    expect(results).toEqual(["done", "done", "SQLITE_CONSTRAINT_DATATYPE", "done"])
    expect(await tokens.findAccessToken(sampleLocator(8))).toBeUndefined()
    expect(await tokens.findAccessToken(sampleLocator(3))).toBeDefined()
  })

  it("an answer leaves after its commit: another connection reads it at once", async () => {
    const path = temporaryPath()
    const { tokens } = threaded(path)
    await tokens.commit([saveGrant(sampleGrant(1))])
    const count = temporaryDatabase(path).prepare("SELECT count(*) FROM grants").pluck()
    expect(count.get()).toBe(1)
  })

  it("while another process holds the lock the event loop and reads go on; then it is StoreUnavailable; then it heals", async () => {
    const path = temporaryPath()
    const stores = threaded(path, 300)
    stores.serving()
    const { tokens } = stores
    await tokens.commit([save(1)])
    const other = temporaryDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    let pending = true
    const waiting = codeOf(Promise.resolve(tokens.commit([save(2)]))).finally(() => (pending = false))
    let turns = 0
    while (pending && turns < 50) {
      expect(await tokens.findAccessToken(sampleLocator(1))).toBeDefined()
      await new Promise((next) => setImmediate(next))
      turns++
    }
    expect([pending, turns]).toEqual([true, 50])
    expect(await waiting).toBe("SQLITE_BUSY")
    expect(await tokens.findAccessToken(sampleLocator(2))).toBeUndefined()
    other.exec("ROLLBACK")
    expect(await tokens.commit([save(2)])).toBe("Committed")
  })

  it("locked out of reading too, a read is refused at once instead of holding everybody up", async () => {
    const path = temporaryPath()
    const stores = threaded(path, 300)
    stores.serving()
    expect(Number(stores.database.pragma("busy_timeout", { simple: true }))).toBeLessThan(100)
  })

  it("closing finishes what was begun, writes the trails that wait, and can be done twice", async () => {
    const path = temporaryPath()
    const stores = threaded(path)
    stores.trails.record(() => trail("last"), true)
    const commits = Promise.all(Array.from({ length: 20 }, async (_, order) => stores.tokens.commit([save(order)])))
    const closing = stores.close()
    expect(stores.close()).toBe(closing)
    await closing
    expect(new Set(await commits)).toEqual(new Set(["Committed"]))
    const again = temporaryStores(path)
    expect(again.trails.find("last")).toEqual(trail("last"))
    expect(await again.tokens.findAccessToken(sampleLocator(19))).toBeDefined()
  })

  it("after closing everything is StoreUnavailable, and nothing hangs", async () => {
    const stores = threaded()
    await stores.close()
    expect(await codeOf(Promise.resolve(stores.tokens.commit([save(1)])))).toBe("CLOSED")
    expect(await codeOf(Promise.resolve(stores.sweep()))).toBe("CLOSED")
  })

  it("more than can be served is refused at once, and what was taken is done", async () => {
    const path = temporaryPath()
    const { tokens } = threaded(path, 2000)
    const other = temporaryDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    const all = Array.from({ length: 10_600 }, (_, order) => codeOf(Promise.resolve(tokens.commit([save(order)]))))
    other.exec("ROLLBACK")
    const codes = await Promise.all(all)
    expect(codes.filter((code) => code === "OVERLOADED").length).toBe(600)
    expect(codes.filter((code) => code === "done").length).toBe(10_000)
  })

  it("a thread that dies fails what it was asked, and the next work starts another", async () => {
    const dying = new URL(
      `data:text/javascript,${encodeURIComponent('import { parentPort } from "node:worker_threads"; parentPort.once("message", () => process.exit(3))')}`,
    )
    const writer = startWriter({ thread: nowhere, script: dying })
    await expect(writer.commit([save(1)])).rejects.toMatchObject({ code: "LOST", uncertain: true })
    expect(await Promise.all([codeOf(writer.commit([save(2)])), codeOf(writer.sweep(sampleTime))])).toEqual(["LOST", "LOST"])
    await writer.close()
    expect(await codeOf(writer.commit([save(3)]))).toBe("CLOSED")
  })

  it("a thread that the system cannot start ends nothing: the work fails and was not done, and the next one tries again", async () => {
    const { Worker } = threads
    let started = 0
    threads.Worker = class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        started++
        // As Node does at a limit of processes.
        if (started < 4) throw Object.assign(new Error("EAGAIN"), { code: "ERR_WORKER_INIT_FAILED" })
        super(...given)
      }
    }
    syncBuiltinESMExports()
    onTestFinished(() => {
      threads.Worker = Worker
      syncBuiltinESMExports()
    })
    const options = {
      path: temporaryPath(),
      synchronous: "FULL",
      patience: 900,
      trails: nowhere.trails,
      audit: nowhere.audit,
      kinds: [],
    } as const
    await temporaryStores(options.path).close()
    const outcomes: Array<Outcome> = []
    const asking = askingThread(options, (_, outcome) => outcomes.push(outcome))
    asking.warm()
    const asked = () => new Promise<Outcome>((settle) => asking.ask("checkpoint", undefined, settle))
    const refused = { operation: "checkpoint", code: "NO_THREAD" }
    expect(await asked()).toEqual(refused)
    const syncer = syncerOf(`${options.path}-wal`)
    syncer.warm()
    expect([await asked(), outcomes, started]).toEqual([{ made: undefined }, [refused, { made: undefined }], 4])
    expect(new StoreUnavailable("commit", "NO_THREAD").uncertain).toBe(false)
    await Promise.all([asking.close(), syncer.close()])
  })

  it("what a dead thread had answered is never taken for an answer of the next one", async () => {
    // Answers with what it was given, and dies after its third answer.
    const dying = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { parentPort } from "node:worker_threads"
        let answered = 0
        parentPort.on("message", (work) => {
          if (work === undefined) return parentPort.close()
          parentPort.postMessage({ made: { removed: work.given, more: false } })
          if (++answered === 3) throw new Error("dead")
        })`)}`,
    )
    const writer = startWriter({ thread: nowhere, script: dying })
    const crossed: Array<string> = []
    const one = async (at: number): Promise<void> => {
      const { removed } = await writer.sweep(at).catch(() => ({ removed: at }))
      if (removed !== at) crossed.push(`asked ${at}, answered ${removed}`)
    }
    let next = sampleTime
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let each = 0; each < 20; each++) await one(next++)
      }),
    )
    await writer.close()
    expect(crossed).toEqual([])
  })

  it("trails are written there too, and found by another process", async () => {
    const path = temporaryPath()
    const stores = threaded(path)
    for (let each = 0; each < 450; each++) stores.trails.record(() => trail(`request ${each}`), true)
    await stores.trails.flush()
    const count = temporaryDatabase(path).prepare("SELECT count(*) FROM trails").pluck()
    expect(count.get()).toBe(450)
    expect(stores.trails.dropped()).toBe(0)
  })
})
