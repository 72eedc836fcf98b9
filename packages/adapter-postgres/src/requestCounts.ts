import type { Instant } from "@postern/core/model"
import type { RequestCountsPort } from "@postern/core/ports"
import { secondsOf } from "@postern/core/options"
import { hash } from "node:crypto"
import type { Database } from "./database/connect.ts"

/** Request counts in a PostgreSQL database. */
export interface PostgresRequestCounts extends RequestCountsPort {
  /** Deletes up to 500 buckets that are full and returns their number. */
  readonly sweep: (now: Instant) => Promise<number>
}

/** Locks rows in the order of their keys, so that no two exchanges deadlock. */
const exchanged = `INSERT INTO postern.request_counts AS kept (key, full_at, taken)
  SELECT row->>0, (row->>1)::float8, (row->>2)::float8 FROM jsonb_array_elements($1::text::jsonb) AS given (row) ORDER BY 1
  ON CONFLICT (key) DO UPDATE SET taken = excluded.taken, full_at = CASE WHEN kept.full_at > $2::bigint + 180000 THEN excluded.full_at
    ELSE greatest(kept.full_at, excluded.full_at, least(kept.full_at + excluded.taken, $2::bigint + 120000)) END
  RETURNING key, full_at`

/**
 * Keeps counts in `postern.request_counts`. An exchange takes one round trip. Keys are digests, so no address or client identifier is
 * stored.
 */
export const postgresRequestCounts = (database: Database): PostgresRequestCounts => ({
  exchange: async (taken, millis) => {
    const keys = taken.map(({ key }) => hash("sha256", key, "base64url"))
    const given = taken.map(({ taken: added, alone }, at) => [keys[at], alone, added])
    const { rows } = await database.write("count requests", exchanged, [JSON.stringify(given), millis])
    const fullAt = new Map(rows.map(([key, then]) => [key, Number(then)]))
    return keys.map((key, at) => fullAt.get(key) ?? taken[at]?.alone ?? millis)
  },
  sweep: async (now) => {
    const sql = `DELETE FROM postern.request_counts WHERE key IN (
      SELECT key FROM postern.request_counts WHERE full_at <= $1::bigint ORDER BY full_at LIMIT 500 FOR UPDATE SKIP LOCKED)`
    return (await database.write("sweep counts of requests", sql, [secondsOf("sweep: now: is", now) * 1000])).count
  },
})
