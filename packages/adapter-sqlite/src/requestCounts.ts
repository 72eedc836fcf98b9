import type { Instant } from "@postern/core/model"
import type { TakenRequests } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { hash } from "node:crypto"

/** Counts of requests in a SQLite database. */
export interface RequestCountRows {
  /** The moment at which each bucket is full again, after what was taken from it: see `RequestCountsPort`. */
  readonly exchange: (taken: ReadonlyArray<TakenRequests>, millis: number) => ReadonlyArray<number>
  /** Drops buckets that are full, some hundreds at a time; how many. */
  readonly sweep: (now: Instant) => number
}

/** Number of buckets that one slice of sweeping drops. */
const slice = 500

/** Prepares the statements on `request_counts`. Keys are digests: whose address or client it was is kept nowhere. */
export const requestCountRows = (database: Database): RequestCountRows => {
  const merge = database
    .prepare<{ readonly key: string; readonly taken: number; readonly alone: number; readonly now: number }, number>(
      `INSERT INTO request_counts (key, full_at) VALUES (:key, :alone)
      ON CONFLICT (key) DO UPDATE SET full_at = iif(full_at > :now + 180000, :alone, max(full_at, :alone, min(full_at + :taken, :now + 120000)))
      RETURNING full_at`,
    )
    .pluck()
  const full = database.prepare<[number], 1>("SELECT 1 FROM request_counts WHERE full_at <= ? LIMIT 1").pluck()
  const remove = database.prepare("DELETE FROM request_counts WHERE key IN (SELECT key FROM request_counts WHERE full_at <= ? LIMIT ?)")
  const mergeAll = database.transaction((taken: ReadonlyArray<TakenRequests>, now: number): ReadonlyArray<number> =>
    taken.map(({ key, taken: added, alone }) => merge.get({ key: hash("sha256", key, "base64url"), taken: added, alone, now }) ?? alone),
  )
  return {
    exchange: (taken, millis) => mergeAll.immediate(taken, millis),
    // Asked first, so that a slice with nothing to drop takes no write lock.
    sweep: (now) => (full.get(now * 1000) === undefined ? 0 : remove.run(now * 1000, slice).changes),
  }
}
