import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { backUp, openDatabase, restore, sqliteTokenStore } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import { addMessage, claimMessage, deliverMessage, outbox, type OutboxMessage, postponeMessage, requireGrant } from "@postern/core/model"
import { deliveryPolicy } from "@postern/core/outbox"
import type { TokenStorePort } from "@postern/core/ports"
import { sampleLocator } from "@postern/core/testing"
import { type DeliveringOptions, type DeliveryHandler, startDelivering } from "@postern/stores"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { noDestinations } from "../../packages/stores/src/destinations.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

const server = postgresServer()
const at = 1_800_000_000
const sampleMessage: OutboxMessage = {
  locator: sampleLocator(0),
  kind: "letter",
  payload: {},
  createdAt: at,
  dueAt: at,
  attempts: 0,
  claimedBy: undefined,
  lastFailure: undefined,
  diedAt: undefined,
  keepUntil: 0,
}

interface Place {
  readonly path: string
  readonly open: () => Promise<TokenStorePort>
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => {
    const path = temporaryPath()
    return { path, open: async () => sqliteTokenStore(temporaryDatabase(path)) }
  },
  PostgreSQL: async () => {
    const path = await (await server()).database()
    return { path, open: async () => postgresTokenStore(closing(await openPostgres(path))) }
  },
}

/** A worker that ends with the test. */
const working = (tokens: TokenStorePort, handler: DeliveryHandler, now: () => number) => {
  const failures: Array<unknown> = []
  const worker = startDelivering({ tokens }, { handlers: { letter: handler }, now, idle: 5, failed: (error) => failures.push(error) })
  onTestFinished(() => worker.stop())
  return { ...worker, failures }
}

const write = (tokens: TokenStorePort, count: number) =>
  tokens.commit(Array.from({ length: count }, (_, each) => addMessage(sampleLocator(each), "letter", { number: each }, at)))

describe.each([["memory", async () => ({ path: "", open: async () => memoryTokenStore() })] as const, ...Object.entries(places)])(
  "messages of the outbox in %s (architecture law 13)",
  (_, place) => {
    it("two workers on one store deliver each message once, and none is left", async () => {
      const { open } = await place()
      const tokens = await open()
      await write(tokens, 150)
      const delivered: Array<unknown> = []
      const handler: DeliveryHandler = async ({ payload }) => void delivered.push(payload["number"])
      const workers = [working(tokens, handler, () => at), working(tokens, handler, () => at)]
      await expect.poll(async () => (await tokens.list(outbox, "due", { now: at + 9e8 })).length, { timeout: 20_000 }).toBe(0)
      expect(delivered.map(Number).sort((left, right) => left - right)).toEqual(Array.from({ length: 150 }, (_, each) => each))
      await Promise.all(workers.map(({ stop }) => stop()))
      expect(workers.reduce((sum, { load }) => sum + load().delivered, 0)).toBe(150)
      expect(workers.flatMap(({ failures }) => failures)).toEqual([])
    }, 30_000)

    it("a message whose commit is a conflict is not written, and one that fails comes later, with its failure", async () => {
      const { open } = await place()
      const tokens = await open()
      expect(await tokens.commit([addMessage(sampleLocator(7), "letter", {}, at), requireGrant(sampleLocator(99))])).toBe("Conflict")
      await write(tokens, 1)
      let now = at
      let tries = 0
      const worker = working(
        tokens,
        async () => (++tries < 3 ? Promise.reject(new Error(`try ${tries}`)) : undefined),
        () => now,
      )
      await expect.poll(() => worker.load().failed, { timeout: 10_000 }).toBe(1)
      expect(await tokens.find(outbox, { locator: sampleLocator(0) })).toMatchObject({
        attempts: 1,
        lastFailure: "try 1",
        claimedBy: undefined,
      })
      expect(tries).toBe(1)
      now += deliveryPolicy.first
      worker.wake()
      await expect.poll(() => worker.load().failed, { timeout: 10_000 }).toBe(2)
      now += 2 * deliveryPolicy.first
      worker.wake()
      await expect.poll(() => worker.load().delivered, { timeout: 10_000 }).toBe(1)
      expect(await tokens.find(outbox, { locator: sampleLocator(0) })).toBeUndefined()
    }, 30_000)

    it("OpenID Connect Back-Channel Logout §2.8: one that is refused for good dies at once, one that is put off comes when it may", async () => {
      const { open } = await place()
      const tokens = await open()
      await write(tokens, 2)
      let now = at
      const handler: DeliveryHandler = async ({ payload }) => {
        if (payload["number"] === 0) return { _tag: "Refused", failure: "400" }
        return now < at + 900 ? { _tag: "Failed", failure: "429", notBefore: at + 900 } : undefined
      }
      const worker = working(tokens, handler, () => now)
      await expect.poll(() => worker.load().failed, { timeout: 10_000 }).toBe(2)
      expect(worker.load().dead).toBe(1)
      expect(await tokens.find(outbox, { locator: sampleLocator(0) })).toMatchObject({ attempts: 1, lastFailure: "400", diedAt: at })
      expect(await tokens.find(outbox, { locator: sampleLocator(1) })).toMatchObject({ lastFailure: "429", dueAt: at + 900 })
      now = at + 900
      worker.wake()
      await expect.poll(() => worker.load().delivered, { timeout: 10_000 }).toBe(1)
    }, 30_000)
  },
)

describe.each([["memory", async () => ({ path: "", open: async () => memoryTokenStore() })] as const, ...Object.entries(places)])(
  "a worker of the outbox in %s (architecture law 13)",
  (_, place) => {
    const slow = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)))
    const begun = async (more: Partial<DeliveringOptions>) => {
      const tokens = await (await place()).open()
      return (handlers: DeliveringOptions["handlers"]) => {
        const worker = startDelivering({ tokens }, { handlers, now: () => at, idle: 5, ...more })
        onTestFinished(() => worker.stop())
        return { ...worker, tokens }
      }
    }
    const find = (tokens: TokenStorePort, each: number) => tokens.find(outbox, { locator: sampleLocator(each) })

    it("a message of a kind that has no handler here is left to others: it uses no attempt, and holds nobody up", async () => {
      const start = await begun({})
      const delivered: Array<unknown> = []
      const { tokens, load } = start({ letter: async ({ payload }) => void delivered.push(payload["number"]) })
      await tokens.commit(Array.from({ length: 120 }, (_each, each) => addMessage(sampleLocator(each), "unknown", {}, at)))
      await tokens.commit([addMessage(sampleLocator(200), "letter", { number: 1 }, at)])
      await expect.poll(() => load().delivered, { timeout: 10_000 }).toBe(1)
      expect([delivered, load().failed]).toEqual([[1], 0])
      expect(await find(tokens, 0)).toMatchObject({ attempts: 0, dueAt: at, claimedBy: undefined })
    }, 30_000)

    it("a destination that does not answer has a few places and no more, and messages to others pass it by, however many wait for it", async () => {
      const start = await begun({ destination: ({ payload }) => JSON.stringify(payload["to"]), together: 4, perDestination: 2, slow: 0 })
      let [atOnce, most] = [0, 0]
      const handler: DeliveryHandler = async ({ payload }, signal) => {
        if (payload["to"] !== "slow") return
        most = Math.max(most, ++atOnce)
        await slow(signal).finally(() => atOnce--)
      }
      const tokens = await (async () => start({}).tokens)()
      // More than a look sees.
      await tokens.commit(Array.from({ length: 230 }, (_each, each) => addMessage(sampleLocator(each), "letter", { to: "slow" }, at)))
      await tokens.commit(
        Array.from({ length: 10 }, (_each, each) => addMessage(sampleLocator(300 + each), "letter", { to: `${each}` }, at)),
      )
      const { load } = start({ letter: handler })
      await expect.poll(() => load().delivered, { timeout: 20_000 }).toBe(10)
      expect([most, atOnce, load().failed, load().running]).toEqual([2, 2, 0, 2])
      expect(await find(tokens, 229)).toMatchObject({ attempts: 0 })
    }, 30_000)

    const hostOf = ({ payload: { to } }: OutboxMessage) => new URL(typeof to === "string" ? to : "").host

    it("a message whose destination cannot be told is tried like any other, and keeps nobody waiting", async () => {
      const start = await begun({ destination: hostOf })
      const delivered: Array<unknown> = []
      const handler: DeliveryHandler = async (message) => void delivered.push(hostOf(message))
      const { tokens, load, wake } = start({ letter: handler })
      for (const [each, to] of ["nowhere", "https://one.example/a", "https://two.example/b"].entries())
        await tokens.commit([addMessage(sampleLocator(each), "letter", { to }, at)])
      wake()
      await expect.poll(() => [load().delivered, load().failed], { timeout: 10_000 }).toEqual([2, 1])
      expect(delivered.map(String).sort()).toEqual(["one.example", "two.example"])
      expect(await find(tokens, 0)).toMatchObject({ attempts: 1, lastFailure: "Invalid URL", claimedBy: undefined })
    }, 30_000)

    it("four hosts that hang, with a backlog each, hold up nobody for longer than their first attempts", async () => {
      const start = await begun({ destination: hostOf, policy: { ...deliveryPolicy, lease: 1 } })
      const failedBefore: Array<number> = []
      const { tokens, load, wake } = start({
        letter: (message, signal) =>
          hostOf(message) === "healthy.example" ? Promise.resolve(void failedBefore.push(load().failed)) : slow(signal),
      })
      const letters = (host: string, from: number, count: number) =>
        tokens.commit(
          Array.from({ length: count }, (_each, each) =>
            addMessage(sampleLocator(from + each), "letter", { to: `https://${host}/${each}` }, at),
          ),
        )
      for (const each of [0, 1, 2, 3]) await letters(`hanging${each}.example`, each * 20, 20)
      wake()
      await expect.poll(() => load().running, { timeout: 10_000 }).toBe(8)
      await letters("healthy.example", 100, 5)
      await expect.poll(() => load().delivered, { timeout: 20_000 }).toBe(5)
      expect(Math.max(...failedBefore)).toBeLessThanOrEqual(12)
      // The hosts that failed have one place each.
      await expect.poll(() => load().failed, { timeout: 20_000 }).toBeGreaterThanOrEqual(12)
      expect(load().running).toBeLessThanOrEqual(4)
    }, 60_000)

    it("kinds take turns at a destination, however many messages one of them has", async () => {
      const start = await begun({ destination: () => "one", together: 1 })
      const delivered: Array<string> = []
      const handler: DeliveryHandler = async ({ kind }) => void delivered.push(kind)
      const tokens = await (async () => start({}).tokens)()
      await tokens.commit(Array.from({ length: 30 }, (_each, each) => addMessage(sampleLocator(each), "many", {}, at)))
      await tokens.commit(Array.from({ length: 3 }, (_each, each) => addMessage(sampleLocator(100 + each), "few", {}, at)))
      const { load } = start({ many: handler, few: handler })
      await expect.poll(() => load().delivered, { timeout: 20_000 }).toBe(33)
      expect(delivered.slice(0, 6).sort()).toEqual(["few", "few", "few", "many", "many", "many"])
    }, 30_000)

    it("messages that wait for a slow destination are put off a hundred at a time, with pauses, and none once it stops", async () => {
      const tokens = await (await place()).open()
      const putOff: Array<{ readonly count: number; readonly when: number }> = []
      let stopped: Promise<void> | undefined
      const watched: Pick<TokenStorePort, "list" | "commit"> = {
        list: tokens.list,
        commit: (commands) => {
          const count = commands.filter(({ event }) => event === "DeferMessage").length
          if (count > 0) putOff.push({ count, when: performance.now() })
          if (putOff.length === 3) stopped ??= worker.stop()
          return tokens.commit(commands)
        },
      }
      for (let from = 0; from < 500; from += 250)
        await tokens.commit(Array.from({ length: 250 }, (_each, each) => addMessage(sampleLocator(from + each), "letter", {}, at)))
      const worker = startDelivering(
        { tokens: watched },
        { handlers: { letter: (_message, signal) => slow(signal) }, now: () => at, idle: 1000, slow: 0 },
      )
      onTestFinished(() => worker.stop())
      await expect.poll(() => stopped !== undefined, { timeout: 20_000 }).toBe(true)
      await stopped
      expect(putOff.length).toBe(3)
      for (const { count } of putOff) expect([98, 99, 100]).toContain(count)
      const whens = putOff.map(({ when }) => when)
      const pauses = whens.slice(1).map((when, index) => when - (whens[index] ?? 0))
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(90)
      expect((await find(tokens, 0))?.attempts).toBe(0)
    }, 30_000)

    it("stopping breaks a delivery off, gives its claim back and uses no attempt", async () => {
      const start = await begun({})
      const told: Array<unknown> = []
      const { tokens, load, stop } = start({
        letter: (_message, signal) => slow(signal).finally(() => told.push(signal.aborted)),
        deaf: () => new Promise<never>(() => undefined),
      })
      await tokens.commit([addMessage(sampleLocator(1), "letter", {}, at), addMessage(sampleLocator(2), "deaf", {}, at)])
      await expect.poll(() => load().running, { timeout: 10_000 }).toBe(2)
      await expect
        .poll(async () => (await find(tokens, 1))?.claimedBy !== undefined && (await find(tokens, 2))?.claimedBy !== undefined)
        .toBe(true)
      await stop()
      expect(told).toEqual([true])
      for (const each of [1, 2]) expect(await find(tokens, each)).toMatchObject({ attempts: 0, dueAt: at, claimedBy: undefined })
      expect(load()).toMatchObject({ running: 0, failed: 0 })
    }, 30_000)
  },
)

describe("destinations of the outbox", () => {
  it("that fail are tried again now and then, however much the others have to do", () => {
    const destinations = noDestinations({ together: 1, perDestination: 1, slow: 0 })
    destinations.ended("failing", false)
    const sent = Array.from({ length: 20 }, () => {
      const waiting = new Set(["one", "two", "failing"].map((to) => ({ message: sampleMessage, to })))
      return destinations.next(waiting, [])?.to
    })
    expect(sent.filter((to) => to === "failing").length).toBeGreaterThanOrEqual(2)
    expect(sent.filter((to) => to === "failing").length).toBeLessThanOrEqual(3)
  })
})

describe.each(Object.entries(places))("a process with %s that is killed (architecture law 13)", (_, place) => {
  it.each(["committed", "delivering"])(
    "after it was %s has its message delivered by the next one",
    async (step) => {
      const { path, open } = await place()
      await open()
      const actor = spawn(process.execPath, [fileURLToPath(new URL("outboxActor.ts", import.meta.url)), path, step], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      const ended = once(actor, "exit")
      const [told] = (await once(actor.stdout, "data")) as [Buffer]
      expect(String(told)).toBe(`${step}\n`)
      actor.kill("SIGKILL")
      await ended
      const tokens = await open()
      expect((await tokens.findAccessToken(sampleLocator(1)))?.token).toBeDefined()
      const delivered: Array<unknown> = []
      // The claim of a process that is gone runs out.
      const later = Math.floor(Date.now() / 1000) + deliveryPolicy.lease + 1
      working(
        tokens,
        async ({ payload, attempts }) => void delivered.push([payload, attempts]),
        () => later,
      )
      await expect.poll(async () => tokens.find(outbox, { locator: sampleLocator(2) }), { timeout: 10_000 }).toBeUndefined()
      expect(delivered).toEqual([[{ to: "somebody" }, step === "delivering" ? 1 : 0]])
    },
    30_000,
  )
})

describe("a backup with messages of the outbox (architecture law 13)", () => {
  it("is restored with them, due and with the attempts they had; sessions are not kept where one was delivered since", async () => {
    const [path, copy] = [temporaryPath(), temporaryPath()]
    const database = openDatabase(path)
    const tokens = sqliteTokenStore(database)
    await write(tokens, 2)
    await tokens.commit([
      claimMessage(sampleLocator(0), 0, "one", at, at + 60),
      postponeMessage(sampleLocator(0), "one", at + 15, "no answer"),
    ])
    database.close()
    await backUp(path, copy)
    await restore(copy, path, { force: true })
    const restored = temporaryDatabase(path)
    const due = (await sqliteTokenStore(restored).list(outbox, "due", { now: at + 15 })) as ReadonlyArray<OutboxMessage>
    expect(due.map(({ locator, attempts, lastFailure }) => [locator, attempts, lastFailure])).toEqual([
      [sampleLocator(1), 0, undefined],
      [sampleLocator(0), 1, "no answer"],
    ])
    const [message] = due
    if (message === undefined) throw new Error("nothing is due")
    await sqliteTokenStore(restored).commit([
      claimMessage(message.locator, 0, "two", at + 15, at + 75),
      deliverMessage(message.locator, "two"),
    ])
    restored.close()
    const kept = { sessions: true, consents: true }
    await expect(restore(copy, path, { force: true, kept })).rejects.toThrow("written to after the copy was taken")
  })
})
