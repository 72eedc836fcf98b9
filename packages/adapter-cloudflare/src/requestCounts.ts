import type { Instant } from "@postern/core/model"
import { after, type Awaitable, type RequestCountsPort } from "@postern/core/ports"
import { secondsOf } from "@postern/core/options"
import { encodeBase64Url } from "@postern/core/wire"
import type { Database } from "./database.ts"

/** A request counter in a Cloudflare database. */
export interface CloudflareRequestCounts extends RequestCountsPort {
  /** Deletes full buckets, some hundreds at a time; returns how many. */
  readonly sweep: (now: Instant) => Awaitable<number>
}

/** The maximum number of buckets deleted per sweep. */
const slice = 500

/**
 * Counts requests for all Workers on one database, in one statement per exchange. Keys are digests, so that addresses and client ids are
 * not stored.
 */
export const requestCountsOn = (database: Database, table: string): CloudflareRequestCounts => {
  // SQLite requires a WHERE between such a SELECT and its ON CONFLICT.
  const exchanged = `INSERT INTO ${table} AS kept (key, full_at, taken)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(?1) WHERE true
    ON CONFLICT (key) DO UPDATE SET taken = excluded.taken, full_at = iif(kept.full_at > ?2 + 180000, excluded.full_at,
      max(kept.full_at, excluded.full_at, min(kept.full_at + excluded.taken, ?2 + 120000)))
    RETURNING key, full_at`
  const removed = `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE full_at <= ? LIMIT ${slice})`
  return {
    exchange: async (taken, millis) => {
      if (taken.length === 0) return []
      const keys = await Promise.all(taken.map(({ key }) => digestOf(key)))
      const given = taken.map(({ taken: added, alone }, at) => [keys[at], alone, added])
      const [rows = []] = await database.ask("count requests", [{ sql: exchanged, values: [JSON.stringify(given), millis] }])
      const fullAt = new Map(rows.map(([key, then]) => [String(key), Number(then)]))
      return keys.map((key, at) => fullAt.get(key) ?? taken[at]?.alone ?? millis)
    },
    sweep: (asked) => {
      const now = secondsOf("sweep: now: is", asked)
      const statements = [
        { sql: removed, values: [now * 1000] },
        { sql: "SELECT changes() AS count", values: [] },
      ]
      return after(database.ask("sweep counts of requests", statements), ([, counted]) => Number(counted?.[0]?.[0] ?? 0))
    },
  }
}

const digestOf = async (text: string): Promise<string> =>
  encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))
