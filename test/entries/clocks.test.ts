import { deliveriesOf } from "@postern/core"
import { defaultKeyPolicy, generateKey, joseSigner, listKeys, partitionedKeys, rotateKeys, tendKeys } from "@postern/core/jose"
import { memoryClientStore, memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import { kyselyStores } from "@postern/adapter-kysely"
import { postgresAudit, postgresRequestCounts, postgresTokenStore, postgresTrails } from "@postern/adapter-postgres"
import { sqliteStores } from "@postern/adapter-sqlite"
import { startDelivering, startExchanging } from "@postern/stores"
import Sqlite from "better-sqlite3"
import { Kysely, SqliteDialect } from "kysely"
import { describe, expect, test, vi } from "vitest"

const seconds = 1_800_000_000
const time = { createdAt: seconds, activeAt: seconds }

/** Clocks that count no seconds: by milliseconds every row would have expired, and compared with a text or NaN none ever would. */
const wrong: ReadonlyArray<unknown> = [seconds * 1000, Number.NaN, String(seconds), BigInt(seconds), undefined, new Date(seconds * 1000)]

const clocks = wrong.map((at) => ({ at, now: () => at as number }))

const outcome = async (run: () => unknown): Promise<unknown> => {
  try {
    return await run()
  } catch (error) {
    return error
  }
}

const isUnitFault = (called: string, error: unknown): void => {
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain(`${called}: now: `)
  expect(String(error)).toContain(", and must count seconds since 1970")
}

describe.each(clocks)("a clock that answers $at counts no seconds", ({ at, now }) => {
  test("signers and the care of keys refuse it", async () => {
    const key = await generateKey("ES256", time)
    isUnitFault("joseSigner", await outcome(() => joseSigner({ keys: () => [key], now }).sign({ alg: "ES256", typ: "JWT", claims: {} })))
    const store = memorySigningKeyStore([key])
    const care = { store, algorithms: ["ES256"], policy: defaultKeyPolicy, now } as const
    isUnitFault("tendKeys", await outcome(() => tendKeys(care)))
    isUnitFault("rotateKeys", await outcome(() => rotateKeys(care, { atOnce: true })))
    isUnitFault("listKeys", await outcome(() => listKeys(care)))
    isUnitFault("partitionedKeys", await outcome(() => partitionedKeys(store, { now })("a").list()))
    expect(await store.list()).toEqual([key])
  })

  test("no key is made that begins at such a time", async () => {
    const error = await outcome(() => generateKey("ES256", { createdAt: seconds, activeAt: at as number }))
    expect(String(error)).toMatch(/^TypeError: generateKey: times\.activeAt: is /)
  })

  test("deliveries refuse it", async () => {
    const tokens = memoryTokenStore()
    const failed = vi.fn()
    const delivering = startDelivering({ tokens }, { handlers: { "a.kind": async () => undefined }, failed, now })
    await vi.waitFor(() => expect(failed).toHaveBeenCalled(), { timeout: 10_000 })
    await delivering.stop()
    isUnitFault("startDelivering", failed.mock.calls[0]?.[0])
    const signer = joseSigner({ keys: () => [], now: () => seconds })
    const [deliver] = Object.values(deliveriesOf({}, { issuer: "https://op.example", clients: memoryClientStore([]), signer, now }))
    isUnitFault("deliveriesOf", await outcome(() => deliver?.({} as never, new AbortController().signal)))
  })

  test("every store refuses it where it would sweep, and no row goes", async () => {
    const memory = memoryTokenStore()
    const sqlite = sqliteStores(":memory:", { now })
    const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Sqlite(":memory:") }) })
    const rows = await kyselyStores(kysely, { dialect: "sqlite", now })
    const asked = vi.fn()
    const database = { read: asked, write: asked, transact: asked, close: asked }
    const sweeps: ReadonlyArray<readonly [string, () => unknown]> = [
      ["sqliteStores", () => sqlite.sweep()],
      ["kyselyStores", () => rows.sweep()],
      ...[
        memory,
        sqlite,
        sqlite.tokens,
        sqlite.trails,
        sqlite.audit,
        rows.tokens,
        rows.trails,
        rows.audit,
        rows.requestCounts,
        postgresTokenStore(database),
        postgresTrails(database),
        postgresAudit(database),
        postgresRequestCounts(database),
      ].map(({ sweep }) => ["sweep", () => sweep(at as number)] as const),
    ]
    // Without a time, the stores take their own clock's.
    for (const [called, sweep] of at === undefined ? sweeps.slice(0, 2) : sweeps) isUnitFault(called, await outcome(sweep))
    expect(asked).not.toHaveBeenCalled()
    sqlite.close()
    await kysely.destroy()
  })

  test("a registered client and a person get no such time", async () => {
    const stores = sqliteStores(":memory:", { now })
    isUnitFault(
      "sqliteStores",
      await outcome(() => stores.clients.add({ client_id: "app", redirect_uris: ["https://app.example/callback"] } as never)),
    )
    isUnitFault(
      "sqliteStores",
      await outcome(() => stores.people.add({ username: "alice", password: "a long password", claims: {} } as never)),
    )
    stores.close()
  })
})

test("fractions of a second are cut off, because columns keep whole numbers", async () => {
  const [key] = await tendKeys({
    store: memorySigningKeyStore(),
    algorithms: ["ES256"],
    policy: defaultKeyPolicy,
    now: () => seconds + 0.5,
  })
  expect([key?.createdAt, key?.activeAt]).toEqual([seconds, seconds])
})

test("a clock of milliseconds that answers seconds would empty every bucket, and exchanges nothing", async () => {
  vi.useFakeTimers()
  const exchange = vi.fn(async () => false)
  const failed = vi.fn()
  const stop = startExchanging({ exchange }, { every: 1, failed, millis: () => seconds })
  await vi.advanceTimersByTimeAsync(5)
  const stopped = stop()
  await vi.advanceTimersByTimeAsync(5)
  await stopped
  vi.useRealTimers()
  expect(exchange).not.toHaveBeenCalled()
  expect(failed).toHaveBeenCalledWith(new TypeError("startExchanging: millis: answered 1800000000, and must count milliseconds since 1970"))
})
