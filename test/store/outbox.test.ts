import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import { addMessage, outbox, requireGrant } from "@postern/core/model"
import { deliveryPolicy } from "@postern/core/outbox"
import type { TokenStorePort } from "@postern/core/ports"
import { sampleLocator } from "@postern/core/testing"
import { type DeliveryHandler, startDelivering } from "@postern/stores"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { closing, postgresServer } from "../support/postgres.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

const server = postgresServer()
const at = 1_800_000_000

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
  },
)

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
