import { expect, it } from "vitest"
import { type Database, openDatabase, postgresTokenStore } from "@postern/adapter-postgres"
import {
  locatorAt,
  consumeCode,
  keepGrant,
  requireGrant,
  requireSession,
  revokeGrant,
  revokeGrants,
  saveAccessToken,
  saveCode,
  saveGrant,
  saveRefreshToken,
  saveSession,
  signOut,
  touchSession,
} from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleGrant, sampleRefreshToken, sampleSession, sampleTime } from "@postern/core/testing"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()

/** Longer than anything here lives, so that a sweep finds nothing. */
const keepUntil = sampleTime + 10_000_000
const due = sampleTime + 20_000_000
let made = 0
const locator = (): string => locatorAt(sampleTime * 1000 + ++made, new Uint8Array(6))

/** Blocks of Postern's tables and indexes that were looked at so far. */
const blocks = async (database: Database): Promise<number> => {
  // Counts of a connection are published when its next transaction ends.
  await database.read("look", "SELECT 1 FROM pg_stat_force_next_flush()")
  const sums = ["heap_blks_read", "heap_blks_hit", "idx_blks_read", "idx_blks_hit"].map((each) => `coalesce(sum(${each}), 0)`)
  const [[count] = []] = await database.read(
    "look",
    `SELECT (${sums.join(" + ")})::float8 FROM pg_statio_all_tables WHERE schemaname = 'postern'`,
  )
  return Number(count)
}

const fill = (database: Database, rows: number): Promise<boolean> =>
  database.transact(
    "prepare",
    [
      { sql: "SET LOCAL statement_timeout = 0" },
      {
        sql: `INSERT INTO postern.access_tokens SELECT lpad(to_hex(n), 16, '0'), $1, NULL, 'client', NULL, '["api"]', '[]', 0, 0, NULL, $2::bigint + n % 3600
          FROM generate_series((SELECT count(*) FROM postern.access_tokens) + 1, $3::bigint) AS n`,
        params: [sampleAccessToken(0).digest, due, rows],
      },
      {
        sql: `INSERT INTO postern.grants SELECT lpad(to_hex(n), 16, '0'), 'client', 'subject ' || n, 'sub', NULL, '[]', '[]', 0, '[]', NULL, NULL, NULL, 0,
            lpad(to_hex(n / 2), 16, '0'), NULL, 0, $1::bigint + n % 3600, NULL
          FROM generate_series((SELECT count(*) FROM postern.grants) + 1, $2::bigint) AS n`,
        params: [due, rows],
      },
      {
        sql: `INSERT INTO postern.sessions SELECT lpad(to_hex(n), 16, '0'), '', 'subject ' || n, 0, '[]', NULL, NULL, '', 0, 0, 0, NULL, $1::bigint + n % 3600
          FROM generate_series((SELECT count(*) FROM postern.sessions) + 1, $2::bigint) AS n`,
        params: [due, rows],
      },
    ],
    120_000,
  )

it("what an operation looks at does not grow with the rows, for a connection that has planned when there were none", async () => {
  const { database: make, run, url } = await server()
  // Nobody counts the rows meanwhile: plans are as bad as they may become.
  await run(url("postgres"), "ALTER SYSTEM SET autovacuum = off", "SELECT 1 FROM pg_reload_conf()")
  const database = closing(await openDatabase(await make(), { connections: 1 }))
  const store = postgresTokenStore(database)
  const family = async (): Promise<string> => {
    const id = locator()
    const above = locator()
    await store.commit([
      saveSession(sampleSession(0, { locator: id, subject: id, keepUntil })),
      requireSession(id),
      touchSession(id, { seenAt: sampleTime, expiresAt: keepUntil, keepUntil }),
      saveGrant(sampleGrant(0, { id: above, subject: id, keepUntil })),
      requireGrant(above),
      saveGrant(sampleGrant(0, { id, parentId: above, subject: id, sessionId: id, endsWithSession: true, keepUntil })),
      keepGrant(id, keepUntil),
      saveCode(sampleCode(0, { locator: id, grantId: id, keepUntil })),
      consumeCode(id, sampleTime, keepUntil),
      saveRefreshToken(sampleRefreshToken(0, { locator: id, grantId: id, keepUntil })),
      saveAccessToken(sampleAccessToken(0, { locator: id, grantId: id, keepUntil })),
    ])
    return id
  }
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    "a token is saved": async () => store.commit([saveAccessToken(sampleAccessToken(0, { locator: locator(), keepUntil }))]),
    "a code is begun and redeemed": family,
    "tokens are found": async () => {
      const id = await family()
      await Promise.all([store.findAccessToken(id), store.findRefreshToken(id), store.findCode(id)])
    },
    "tokens of several requests are found together": async () => {
      const ids = [await family(), await family(), locator()]
      await Promise.all(ids.map(async (id) => Promise.all([store.findAccessToken(id), store.findRefreshToken(id), store.findAttempts(id)])))
    },
    "a person's grants are listed and revoked": async () => {
      const subject = await family()
      await store.grantsOf(subject)
      await store.commit([revokeGrants({ subject }, sampleTime)])
    },
    "a grant is revoked": async () => store.commit([revokeGrant(await family(), sampleTime)]),
    "a session ends": async () => store.commit(signOut(await family(), sampleTime)),
    "a sweep finds nothing": async () => store.sweep(sampleTime),
  }
  const times = 40
  const lookedAt = async (): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {}
    for (const [name, operation] of Object.entries(operations)) {
      const before = await blocks(database)
      for (let each = 0; each < times; each++) await operation()
      counts[name] = ((await blocks(database)) - before) / times
    }
    return counts
  }
  await lookedAt()
  await fill(database, 10_000)
  const few = await lookedAt()
  await fill(database, 250_000)
  const many = await lookedAt()
  // An index is a level deeper at most, and each operation meets a handful of them.
  for (const [name, count] of Object.entries(many))
    expect(count, `${name}: ${JSON.stringify([few, many])}`).toBeLessThan(1.3 * (few[name] ?? 0) + 10)
  expect(Math.min(...Object.values(few))).toBeGreaterThan(1)
}, 120_000)

it("what has expired leaves by slices of about a thousand, however many sweep at once, and nothing else does", async () => {
  const { database: make } = await server()
  const url = await make()
  const stores = await Promise.all(Array.from({ length: 3 }, async () => postgresTokenStore(closing(await openDatabase(url)))))
  const database = closing(await openDatabase(url))
  await fill(database, 12_000)
  const kept = sampleAccessToken(0, { locator: locator(), keepUntil: due + 5000 })
  await stores[0]?.commit([saveAccessToken(kept)])
  const sweeping = async (store: (typeof stores)[number]): Promise<ReadonlyArray<number>> => {
    const slices: Array<number> = []
    for (let more = true; more;) {
      const swept = await store.sweep(due + 3600)
      slices.push(swept.removed)
      more = swept.more
    }
    return slices
  }
  const slices = await Promise.all(stores.map(sweeping))
  // A last slice by somebody passes over what others have locked at that moment.
  const last = await sweeping(stores[0] ?? postgresTokenStore(database))
  expect([...slices.flat(), ...last].reduce((sum, each) => sum + each, 0)).toBe(36_000)
  expect(Math.max(...slices.flat())).toBeLessThanOrEqual(3000)
  expect(slices.filter((each) => each.some((removed) => removed > 0)).length).toBe(3)
  expect(
    await database.read("look", "SELECT (SELECT count(*)::int FROM postern.grants), (SELECT count(*)::int FROM postern.access_tokens)"),
  ).toEqual([[0, 1]])
  expect(await stores[0]?.findAccessToken(kept.locator)).toBeDefined()
}, 60_000)
