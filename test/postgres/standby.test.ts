import { openDatabase, postgresTokenStore } from "@postern/adapter-postgres"
import { consumeCode, revokeAccessToken, saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { closing } from "../support/postgres.ts"
import { startPostgres } from "../support/postgresServer.ts"

const orders = Array.from({ length: 40 }, (_, at) => at)

/** A server with a database of ours, a synchronous standby that has it too, and a store on the first. */
const pair = async () => {
  const server = await startPostgres()
  onTestFinished(server.end)
  const url = await server.database()
  await (await openDatabase(url)).close()
  const standby = await server.standby()
  return { server, standby, url: standby.of(url), store: postgresTokenStore(closing(await openDatabase(url, { patience: 15_000 }))) }
}

describe("a streaming standby (docs/scaling.md, Replicas)", () => {
  it("is not served from; once promoted it has every commit that was acknowledged, and nothing spent is good again", async () => {
    const { server, standby, url, store } = await pair()
    await expect(openDatabase(url)).rejects.toThrow("the server is read-only, as a standby is; name the one that takes writes")

    expect(await store.commit([saveGrant(sampleGrant(1)), ...orders.map((each) => saveCode(sampleCode(each)))])).toBe("Committed")
    const spent = await Promise.all(
      orders.map(async (each) => store.commit([consumeCode(sampleLocator(each), sampleTime, 0), saveAccessToken(sampleAccessToken(each))])),
    )
    expect(new Set(spent)).toEqual(new Set(["Committed"]))
    await server.stop("SIGQUIT")

    await standby.promote()
    const there = postgresTokenStore(closing(await openDatabase(url)))
    for (const each of orders) {
      expect(await there.findAccessToken(sampleLocator(each))).toBeDefined()
      expect(await there.commit([consumeCode(sampleLocator(each), sampleTime, 0)])).toBe("Conflict")
    }
  }, 60_000)

  it("shows a revoked token as good while it replays late, even a synchronous one: so nothing that may be revoked is read there", async () => {
    const { url, store } = await pair()
    const replica = closing(await connect(url, { connections: 1, patience: 15_000 }))
    const found = async () => replica.read("look", `SELECT revoked_at FROM postern.access_tokens WHERE locator = '${sampleLocator(1)}'`)
    await store.commit([saveGrant(sampleGrant(1)), saveAccessToken(sampleAccessToken(1))])
    await vi.waitFor(async () => expect(await found()).toEqual([[null]]), { timeout: 15_000, interval: 20 })
    await replica.read("pause", "SELECT pg_wal_replay_pause()")
    await vi.waitFor(async () => expect(await replica.read("look", "SELECT pg_get_wal_replay_pause_state()")).toEqual([["paused"]]), {
      timeout: 10_000,
    })

    expect(await store.commit([revokeAccessToken(sampleLocator(1), sampleTime)])).toBe("Committed")
    expect((await store.findAccessToken(sampleLocator(1)))?.token.revokedAt).toBe(sampleTime)
    expect(await found(), "acknowledged, and not seen there").toEqual([[null]])

    await replica.read("resume", "SELECT pg_wal_replay_resume()")
    await vi.waitFor(async () => expect(await found()).not.toEqual([[null]]), { timeout: 15_000, interval: 20 })
  }, 60_000)
})
