import { type Database, openDatabase, postgresTokenStore } from "@postern/adapter-postgres"
import { locatorAt, keepGrant, saveAccessToken, saveGrant, saveRefreshToken } from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleRefreshToken, sampleTime } from "@postern/core/testing"

// Cost of PostgreSQL with few rows and with many, with the index that the sweep finds expired rows by and without it:
// node bench/postgres.ts postgres://USER@HOST/EMPTY_DATABASE [ROWS]
const [url = "", most = "3000000"] = process.argv.slice(2)
const database = await openDatabase(url)
const store = postgresTokenStore(database)
const index = "access_tokens_that_leave"

let made = 0
const locator = (): string => locatorAt(sampleTime * 1000 + ++made, new Uint8Array(6))
const keepUntil = sampleTime + 10_000_000
const saves = {
  "a token": async () => store.commit([saveAccessToken(sampleAccessToken(0, { locator: locator(), keepUntil }))]),
  "a grant, kept, with two tokens": async () => {
    const id = locator()
    await store.commit([
      saveGrant(sampleGrant(0, { id, keepUntil })),
      keepGrant(id, keepUntil),
      saveRefreshToken(sampleRefreshToken(0, { locator: locator(), grantId: id, keepUntil })),
      saveAccessToken(sampleAccessToken(0, { locator: locator(), grantId: id, keepUntil })),
    ])
  },
  "finding a token": async () => store.findAccessToken(locatorAt(sampleTime * 1000 + Math.ceil(Math.random() * made), new Uint8Array(6))),
}

const logged = async (): Promise<number> => {
  const [[bytes] = []] = await database.read("measure", "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8")
  return Number(bytes)
}

/** Does something many times, eight at once; answers with microseconds and bytes of log for each. */
const measured = async (run: () => Promise<unknown>, times = 8000): Promise<string> => {
  let left = times
  const [from, log] = [performance.now(), await logged()]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left-- > 0) await run()
    }),
  )
  const [spent, written] = [performance.now() - from, (await logged()) - log]
  return `${Math.round((spent * 1000) / times)} µs, ${Math.round(written / times)} bytes of log`
}

const slow = async (db: Database, sql: string, params: ReadonlyArray<unknown> = []): Promise<boolean> =>
  db.transact("prepare", [{ sql: "SET LOCAL statement_timeout = 0" }, { sql, params }], 3_600_000)

const fill = (rows: number, leaves: number): Promise<boolean> =>
  slow(
    database,
    `INSERT INTO postern.access_tokens SELECT lpad(to_hex(n), 16, '0'), $1, NULL, 'client', NULL, '["api"]', '["https://api.example"]', 0, 0, NULL,
      $2::bigint + n % 3600 FROM generate_series((SELECT count(*) FROM postern.access_tokens), $3::bigint) AS n`,
    [sampleAccessToken(0).digest, leaves, rows],
  )

const due = sampleTime + 20_000_000
for (const rows of [10_000, Number(most)]) {
  await fill(rows, due)
  await slow(database, "ANALYZE postern.access_tokens")
  for (const indexed of [true, false, true, false]) {
    await slow(
      database,
      indexed ? `CREATE INDEX IF NOT EXISTS ${index} ON postern.access_tokens (keep_until)` : `DROP INDEX postern.${index}`,
    )
    for (const [name, run] of Object.entries(saves))
      console.log(`${rows} rows, ${indexed ? "index" : "no index"}: ${name}: ${await measured(run)}`)
  }
}
await slow(database, `CREATE INDEX ${index} ON postern.access_tokens (keep_until)`)
let [slices, removed] = [0, 0]
const from = performance.now()
for (let more = true; more && slices < 300; slices++) {
  const swept = await store.sweep(due + 3600)
  removed += swept.removed
  more = swept.more
}
console.log(`sweeping: ${removed} rows in ${slices} slices of ${((performance.now() - from) / slices).toFixed(1)} ms`)
await database.close()
