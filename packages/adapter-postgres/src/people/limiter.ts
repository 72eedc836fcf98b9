import type { Instant } from "@postern/core/model"
import { type Limiter, type LimiterOptions, limiterOf } from "@postern/stores/rows"
import { hash } from "node:crypto"
import { RateLimiterPostgres } from "rate-limiter-flexible"
import type { Database } from "../database/connect.ts"

/** What rate-limiter-flexible asks of a client. */
interface Query {
  readonly text: string
  readonly values: ReadonlyArray<string | number | null>
}

/** Counts tries in `postern.tries`, so that several processes count as one. Keys are digests: a name somebody typed is kept nowhere. */
export const postgresLimiter = (database: Database): ((options: LimiterOptions) => Limiter) => {
  const storeClient = {
    query: async ({ text, values }: Query) => {
      const { rows, count } = await database.write("count a try", text, values)
      return { rows: rows.map(([points, expire]) => ({ points: Number(points), expire: Number(expire) })), rowCount: count }
    },
  }
  return (options) => {
    const limiter = limiterOf(
      new RateLimiterPostgres({
        ...options,
        storeClient,
        storeType: "client",
        schemaName: "postern",
        tableName: "tries",
        tableCreated: true,
        clearExpiredByTimeout: false,
      }),
    )
    const kept = (key: string): string => hash("sha256", key, "base64url")
    return {
      count: (key) => limiter.count(kept(key)),
      block: (key, wait) => limiter.block(kept(key), wait),
      takeBack: (key) => limiter.takeBack(kept(key)),
      forget: (key) => limiter.forget(kept(key)),
    }
  }
}

/** Drops what is counted no more, some hundreds at a time; how many. */
export const sweepTries = async (database: Database, now: Instant): Promise<number> => {
  const sql = `DELETE FROM postern.tries WHERE key IN (
    SELECT key FROM postern.tries WHERE expire <= $1 ORDER BY expire LIMIT 500 FOR UPDATE SKIP LOCKED)`
  return (await database.write("sweep tries", sql, [now * 1000])).count
}
