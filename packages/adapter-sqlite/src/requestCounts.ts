import type { Instant } from "@postern/core/model"
import type { TakenRequests } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { hash } from "node:crypto"

/** Request counts in a SQLite database. */
export interface RequestCountRows {
  /** Adds the requests taken from each bucket and returns the time at which each bucket is full again. See `RequestCountsPort`. */
  readonly exchange: (taken: ReadonlyArray<TakenRequests>, millis: number) => ReadonlyArray<number>
  /** Deletes up to 500 buckets that are full and returns their number. */
  readonly sweep: (now: Instant) => number
}

/** The maximum number of buckets that one slice of a sweep deletes. */
const slice = 500

/** Prepares the statements on `request_counts`. Keys are digests, so no address or client identifier is stored. */
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
    // The read first avoids taking the write lock when there is nothing to delete.
    sweep: (now) => (full.get(now * 1000) === undefined ? 0 : remove.run(now * 1000, slice).changes),
  }
}
