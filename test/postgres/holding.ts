import type { Database } from "@postern/adapter-postgres"
import { expect } from "vitest"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { closing } from "../support/postgres.ts"

/** Waits until a statement is under way on the database. */
export const seen = async (database: Database, sql: string): Promise<void> => {
  const running = async (): Promise<number> => {
    const [[count] = []] = await database.read(
      "look",
      "SELECT count(*) FROM pg_stat_activity WHERE query = $1 AND datname = current_database() AND state = 'active'",
      [sql],
    )
    return Number(count)
  }
  await expect.poll(running, { interval: 5, timeout: 10_000 }).toBe(1)
}

/** Holds what a statement locks until it is told to let go. */
export const holding = async (url: string, sql: string): Promise<() => Promise<void>> => {
  const sleep = "SELECT pg_sleep(30)"
  const other = await connect(url, { connections: 1, patience: 60_000 })
  const held = other.transact("hold", [{ sql }, { sql: sleep }], 60_000).catch(() => false)
  const asking = closing(await connect(url, { connections: 1 }))
  await seen(asking, sleep)
  return async () => {
    await asking.read("let go", "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query = $1", [sleep])
    await held
    await other.close()
  }
}
