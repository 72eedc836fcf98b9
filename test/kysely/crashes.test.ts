import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { kyselyStores, type StoreUnavailable } from "@postern/adapter-kysely"
import { saveAccessToken, saveGrant, useOnce, uses } from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { CompiledQuery } from "kysely"
import { describe, expect, it, onTestFinished } from "vitest"
import { durable, mariadbThere, startMariadb } from "../support/mariadbServer.ts"
import { onMariadb, places, sharedStores } from "./databases.ts"

for (const [name, isThere, open] of places) {
  describe.skipIf(!isThere)(`a process that dies, over Kysely on ${name}`, () => {
    const fresh = sharedStores(open)
    it("R1: what it was told is done is there, and nothing is half done", async () => {
      const { place, stores } = await fresh()
      const script = fileURLToPath(new URL("spender.ts", import.meta.url))
      const child = spawn(process.execPath, [script, place.dialect, place.address, "0", "100000", "tokens"], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      const acknowledged: Array<number> = []
      const gone = once(child, "exit")
      for await (const line of createInterface({ input: child.stdout })) {
        if (line !== "ready") acknowledged.push(Number(line))
        if (acknowledged.length === 120) child.kill("SIGKILL")
      }
      await gone
      expect(acknowledged.length).toBeGreaterThanOrEqual(120)
      const { tokens } = stores
      for (let at = 0; at <= Math.max(...acknowledged) + 20; at++) {
        const token = await tokens.findAccessToken(sampleLocator(at))
        const use = await tokens.find(uses, { key: `once ${at}` })
        expect([at, token === undefined]).toEqual([at, use === undefined])
        if (acknowledged.includes(at)) expect([at, token === undefined]).toEqual([at, false])
      }
    })
  })
}

describe("connections of PostgreSQL that are lost, with a pool as the README sets it up", () => {
  const [, , open] = places.find(([name]) => name === "PostgreSQL") ?? []

  // An `error` that nobody listens to would fail the run.
  it("R2: end no process, also between two statements of a transaction, and every commit says whether it was done", async () => {
    const place = await open?.()
    if (place === undefined) throw new Error("no PostgreSQL")
    onTestFinished(place.end)
    const kysely = place.connect()
    onTestFinished(() => kysely.destroy())
    const { tokens } = await kyselyStores(kysely, { dialect: "postgres" })
    const killer = place.connect()
    onTestFinished(() => killer.destroy())
    const failed: Array<unknown> = []
    const done: Array<number> = []
    let at = 0
    let isOver = false
    const working = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const mine = at++
          await tokens.commit([saveAccessToken(sampleAccessToken(mine)), useOnce(`once ${mine}`, sampleTime, sampleTime + 9)]).then(
            () => done.push(mine),
            (error: unknown) => failed.push(error),
          )
        }
      }),
    )
    const kill = CompiledQuery.raw(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    for (let round = 0; round < 40; round++) await killer.executeQuery(kill)
    isOver = true
    await working
    expect(failed.length).toBeGreaterThan(0)
    for (const error of failed) expect((error as StoreUnavailable).code).toMatch(/^(?:UNASKED|DISCONNECTED|57P0\d)$/)
    for (const each of done) expect(await tokens.find(uses, { key: `once ${each}` })).toBeDefined()
  })
})

describe.skipIf(!mariadbThere)("a MariaDB that dies", () => {
  it("R1: what was acknowledged with durable settings is there after kill -9, nothing is spent twice, and an error that says nothing was done is right", async () => {
    const server = await startMariadb(durable)
    const place = await onMariadb(server)
    const acknowledged = new Set<number>()
    const denied = new Set<number>()
    const errors: Array<StoreUnavailable> = []
    let at = 0
    for (let round = 0; round < 2; round++) {
      const kysely = place.connect()
      const { tokens, durability } = await kyselyStores(kysely, { dialect: "mysql" })
      expect(durability).toBe("always")
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (;;) {
            const mine = at++
            try {
              await tokens.commit([saveAccessToken(sampleAccessToken(mine)), useOnce(`once ${mine}`, sampleTime, sampleTime + 9)])
              acknowledged.add(mine)
            } catch (error) {
              errors.push(error as StoreUnavailable)
              if (!(error as StoreUnavailable).uncertain) denied.add(mine)
              return
            }
            if (acknowledged.size === 100 * (round + 1)) await server.kill()
          }
        }),
      )
      await kysely.destroy().catch(() => undefined)
      await server.start()
    }
    expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(["StoreUnavailable"]))
    const kysely = place.connect()
    onTestFinished(async () => {
      await kysely.destroy()
      await place.end()
    })
    const { tokens } = await kyselyStores(kysely, { dialect: "mysql" })
    const there = await Promise.all(
      Array.from({ length: at }, async (_, each) => (await tokens.findAccessToken(sampleLocator(each))) !== undefined),
    )
    expect([...acknowledged].filter((each) => there[each] !== true)).toEqual([])
    expect([...denied].filter((each) => there[each] === true)).toEqual([])
    for (const each of acknowledged) expect(await tokens.commit([useOnce(`once ${each}`, sampleTime, sampleTime + 9)])).toBe("Conflict")
    expect(acknowledged.size).toBeGreaterThanOrEqual(200)
  }, 120_000)

  it("law 7: a connection that is lost before the commit is asked for has done nothing, and one lost in it is uncertain", async () => {
    const server = await startMariadb()
    const place = await onMariadb(server)
    const [kysely, admin] = [place.connect(), place.connect()]
    onTestFinished(async () => {
      await Promise.all([kysely.destroy(), admin.destroy()])
      await place.end()
    })
    const { tokens } = await kyselyStores(kysely, { dialect: "mysql" })
    await tokens.commit([saveGrant(sampleGrant(1))])
    await server.kill()
    const failed = await tokens.commit([saveGrant(sampleGrant(2))]).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: "StoreUnavailable", code: "UNASKED", uncertain: false })
    await server.start()
    expect(await tokens.findGrant(sampleLocator(2))).toBeUndefined()
    const settings = await admin.executeQuery(CompiledQuery.raw("SELECT @@innodb_flush_log_at_trx_commit AS flushed"))
    expect(settings.rows).toEqual([{ flushed: 0 }])
    expect((await kyselyStores(admin, { dialect: "mysql" })).durability).toBe("sometime")
  })

  it("a server that cuts texts is refused, with the setting to change", async () => {
    const server = await startMariadb(["--sql-mode=", "--skip-log-bin"])
    const place = await onMariadb(server)
    const kysely = place.connect()
    onTestFinished(async () => {
      await kysely.destroy()
      await place.end()
    })
    await expect(kyselyStores(kysely, { dialect: "mysql" })).rejects.toMatchObject({
      name: "DatabaseRefused",
      message: expect.stringContaining("STRICT_TRANS_TABLES") as string,
    })
  })
})
