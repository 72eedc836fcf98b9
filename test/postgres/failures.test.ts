import { describe, expect, it } from "vitest"
import { type DatabaseOptions, openDatabase, postgresStores, postgresTokenStore, StoreUnavailable } from "@postern/adapter-postgres"
import {
  type Command,
  consumeCode,
  keepGrant,
  removeConsent,
  requireGrant,
  revokeGrants,
  saveAccessToken,
  saveCode,
  saveConsent,
  saveGrant,
} from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleConsent, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { cheap } from "../store/support.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { holding, seen } from "./holding.ts"

const server = postgresServer()
const opened = async (options: DatabaseOptions = {}) => {
  const url = await (await server()).database()
  const database = closing(await openDatabase(url, options))
  return { url, database, store: postgresTokenStore(database) }
}

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

describe("a database that cannot be opened says what to do", () => {
  it("where another transaction keeps it locked", async () => {
    const { url } = await opened()
    const letGo = await holding(url, "LOCK TABLE postern.migrations IN ACCESS EXCLUSIVE MODE")
    await expect(openDatabase(url, { patience: 500 })).rejects.toThrow(
      /another transaction keeps its tables locked; end that, which pg_stat_activity shows, or try again later \(55P03\)$/,
    )
    await letGo()
  })

  it("and one that is only looked at is not changed: an older schema is told of, and a missing one is not made", async () => {
    const { run, database: empty } = await server()
    await expect(openDatabase(await empty(), { unchanged: true })).rejects.toThrow(/there is nothing of Postern's in it yet/)
    const { url, database } = await opened()
    const state = () =>
      database.read("look", "SELECT (SELECT count(*) FROM postern.migrations), (SELECT coalesce(sum(value), 0) FROM postern.revisions)")
    await run(url, "UPDATE postern.revisions SET value = 1 WHERE name LIKE 'commits %'")
    const before = await state()
    await (await openDatabase(url, { unchanged: true })).close()
    expect(await state()).toEqual(before)
    await run(url, "DELETE FROM postern.migrations WHERE version > 2")
    await expect(openDatabase(url, { unchanged: true })).rejects.toMatchObject({
      reason: "older",
      message: expect.stringMatching(/: version 2; the next start upgrades it to \d+$/) as unknown,
    })
    expect(await state()).toEqual([[2n, before[0]?.[1]]])
  })

  it("where this user may have no more connections", async () => {
    const { run } = await server()
    const { url } = await opened()
    await run(url, "CREATE ROLE lonely LOGIN CONNECTION LIMIT 0")
    await expect(openDatabase(url.replace("postern@", "lonely@"))).rejects.toThrow(
      /no connection left for this user; run fewer servers, of which each takes ten, or raise max_connections or the user's own limit \(53300\)$/,
    )
  })
})

describe("a database that cannot do what is asked", () => {
  it("a lock held for 30 s by another: StoreUnavailable within two seconds, what needs no lock goes on, and it heals", async () => {
    const { url, store } = await opened()
    await store.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2))])
    const consume: Command = consumeCode(sampleLocator(2), sampleTime, 0)
    const letGo = await holding(url, "UPDATE postern.codes SET digest = digest")
    const began = performance.now()
    const error = await failure(() => store.commit([consume]))
    expect(performance.now() - began).toBeLessThan(2500)
    expect([error.operation, error.code]).toEqual(["commit", "55P03"])
    expect(error.message).not.toMatch(/UPDATE|codes/)
    expect(await store.findCode(sampleLocator(2))).toMatchObject({ code: { consumedAt: undefined } })
    expect(await store.commit([save(1)])).toBe("Committed")
    expect((await store.sweep(sampleTime + 100_000)).removed).toBe(2)
    await letGo()
    // The sweep passed over what was locked.
    expect([await store.commit([consume]), await store.commit([consume])]).toEqual(["Committed", "Conflict"])
  })

  it("every connection kept waiting by another's lock: reads are given up in time too, and it heals", async () => {
    const { url, store } = await opened({ connections: 2, patience: 500 })
    const letGo = await holding(url, "LOCK TABLE postern.codes IN ACCESS EXCLUSIVE MODE")
    const codes = await Promise.all([1, 2, 3, 4, 5, 6].map((order) => failure(() => store.findCode(sampleLocator(order)))))
    expect(new Set(codes.map(({ operation }) => operation))).toEqual(new Set(["read a code"]))
    expect(codes.every(({ code }) => code === "55P03" || code === "TIMEOUT")).toBe(true)
    await letGo()
    expect(await store.findCode(sampleLocator(1))).toBeUndefined()
  })

  it.each(["alone", "with another's commit"])(
    "a withdrawal that finds no consent and a consent given meanwhile, %s, come one after the other: what is granted with one that stands is not revoked",
    async (how) => {
      const { url, database, store } = await opened({ patience: 10_000 })
      const waiting = async (): Promise<number> => {
        const sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        return Number((await database.read("look", sql))[0]?.[0])
      }
      const [grant, other] = [sampleGrant(1), sampleGrant(2, { clientId: "other" })]
      const { subject, clientId } = grant
      await store.commit([saveGrant(other)])
      // The withdrawal waits in its middle.
      const letGo = await holding(url, `SELECT 1 FROM postern.grants WHERE id = '${other.id}' FOR UPDATE`)
      const withdrawn = store.commit([
        removeConsent(subject, clientId),
        requireGrant(other.id),
        revokeGrants({ subject, clientId }, sampleTime),
      ])
      await expect.poll(waiting, { interval: 5 }).toBe(1)
      const sets = [[saveConsent(sampleConsent(subject, clientId), undefined), saveGrant(grant)]]
      if (how !== "alone") sets.push([saveGrant(sampleGrant(3, { clientId: "other" }))])
      const given = Promise.all(sets.map(async (set) => store.commit(set)))
      await expect.poll(waiting, { interval: 5 }).toBe(2)
      await letGo()
      expect(await Promise.all([withdrawn, given])).toEqual(["Committed", sets.map(() => "Committed")])
      expect(await store.findConsent(subject, clientId)).toBeDefined()
      expect((await store.findGrant(grant.id))?.revokedAt).toBeUndefined()
    },
  )

  it("a withdrawal and then a consent, committed together: the consent stands with its grant", async () => {
    const { store } = await opened()
    const grant = sampleGrant(1)
    const { subject, clientId } = grant
    const withdrawn = store.commit([removeConsent(subject, clientId), revokeGrants({ subject, clientId }, sampleTime)])
    const given = store.commit([saveConsent(sampleConsent(subject, clientId), undefined), saveGrant(grant)])
    expect(await Promise.all([withdrawn, given])).toEqual(["Committed", "Committed"])
    expect(await store.findConsent(subject, clientId)).toBeDefined()
    expect((await store.findGrant(grant.id))?.revokedAt).toBeUndefined()
  })

  it("a deadlock is tried again: two that lock the same rows in two orders are both committed", async () => {
    // PostgreSQL takes a second to notice, and whichever of the two it stops then starts over.
    const patience = 10_000
    const { url, database, store } = await opened({ patience })
    const grants = [1, 2].map((order): Command => saveGrant(sampleGrant(order)))
    await store.commit(grants)
    const keep = (order: number): Command => keepGrant(sampleLocator(order), sampleTime + 9000)
    const touch = (order: number) => ({ sql: "UPDATE postern.grants SET nonce = 'touched' WHERE id = $1", params: [sampleLocator(order)] })
    const other = closing(await connect(url, { patience }))
    const touched = other.transact("touch both", [touch(1), { sql: "SELECT pg_sleep(0.4)" }, touch(2)])
    await seen(database, "SELECT pg_sleep(0.4)")
    expect(await store.commit([keep(2), keep(1)])).toBe("Committed")
    expect(await touched).toBe(true)
    expect(await store.findGrant(sampleLocator(1))).toMatchObject({ nonce: "touched", keepUntil: sampleTime + 9000 })
    await expect
      .poll(() => database.read("look", "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()"))
      .toEqual([[1]])
  })

  it("a server that crashes under way and comes back: what was acknowledged is there, what failed is whole or not there, and it heals", async () => {
    const { store } = await opened()
    const { stop, start } = await server()
    await store.commit([saveGrant(sampleGrant(1))])
    const acknowledged = new Set<number>()
    const failed: Array<StoreUnavailable> = []
    let next = 2
    const writer = async (): Promise<void> => {
      while (failed.length < 40) {
        const order = next++
        try {
          await store.commit([saveCode(sampleCode(order)), save(order)])
          acknowledged.add(order)
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error
          failed.push(error)
        }
      }
    }
    const writers = Promise.all(Array.from({ length: 8 }, writer))
    while (acknowledged.size < 50) await new Promise((resolve) => setImmediate(resolve))
    await stop("SIGQUIT")
    await writers
    await failure(() => store.findGrant(sampleLocator(1)))
    await start()
    expect(await store.findGrant(sampleLocator(1))).toEqual(sampleGrant(1))
    for (let order = 2; order < next; order++) {
      const [code, token] = [await store.findCode(sampleLocator(order)), await store.findAccessToken(sampleLocator(order))]
      expect([order, code !== undefined, token !== undefined]).toEqual([order, token !== undefined, code !== undefined])
      if (acknowledged.has(order)) expect([order, code !== undefined]).toEqual([order, true])
    }
    expect(await store.commit([save(next)])).toBe("Committed")
  }, 30_000)

  it("a server that stands still: given up in time, read and write, and it heals when it goes on", async () => {
    const { database, store } = await opened({ patience: 400 })
    await store.commit([save(1)])
    const signal = await (await server()).processes(database)
    signal("SIGSTOP")
    try {
      const errors = await Promise.all([failure(() => store.commit([save(2)])), failure(() => store.findAccessToken(sampleLocator(1)))])
      expect(errors.map(({ operation, code }) => [operation, code])).toEqual([
        ["commit", "TIMEOUT"],
        ["read an access token", "TIMEOUT"],
      ])
    } finally {
      signal("SIGCONT")
    }
    const found = async () => store.findAccessToken(sampleLocator(1))
    await expect.poll(() => found().catch(() => undefined), { timeout: 15_000 }).toBeDefined()
    expect(await store.commit([save(3)])).toBe("Committed")
  }, 30_000)

  it("read-only: StoreUnavailable on writes, reads go on", async () => {
    const { url } = await opened()
    await (await server()).run(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`)
    const store = postgresTokenStore(closing(await connect(url)))
    expect((await failure(() => store.commit([save(2)]))).code).toBe("25006")
    expect(await store.findAccessToken(sampleLocator(1))).toBeUndefined()
  })

  it("closed: StoreUnavailable, from reads and writes", async () => {
    const stores = await postgresStores(await (await server()).database(), { hashing: cheap })
    await stores.close()
    await stores.close()
    expect((await failure(() => stores.tokens.commit([save(1)]))).code).toBe("CLOSED")
    expect((await failure(() => stores.tokens.findGrant(sampleLocator(1)))).code).toBe("CLOSED")
    expect((await failure(() => stores.clients.find("client"))).code).toBe("CLOSED")
    expect((await failure(() => stores.people.find("subject"))).code).toBe("CLOSED")
    expect((await failure(() => stores.keys.list())).code).toBe("CLOSED")
  })

  it("a row damaged by hand: StoreUnavailable, and its neighbors are read", async () => {
    const { database, store } = await opened()
    await store.commit([save(1), save(2)])
    await database.write("damage", "UPDATE postern.access_tokens SET scope = '[' WHERE locator = $1", [sampleLocator(1)])
    expect((await failure(() => store.findAccessToken(sampleLocator(1)))).code).toBe("DAMAGED_ROW")
    expect(await store.findAccessToken(sampleLocator(2))).toBeDefined()
  })
})
