import { mergedRequests } from "@postern/core/memory"
import type { Instant } from "@postern/core/model"
import type { RequestCountsPort } from "@postern/core/ports"
import { secondsOf } from "@postern/core/options"
import { hash } from "node:crypto"
import type { Database, Statements } from "./database.ts"
import { inParts, mostRows } from "./table.ts"

/** A request counter over Kysely. */
export interface KyselyRequestCounts extends RequestCountsPort {
  /** Deletes full buckets, some hundreds at a time; returns how many. */
  readonly sweep: (now: Instant) => Promise<number>
}

/**
 * Counts requests for all processes on one database, in one transaction per exchange. Keys are digests, so that addresses and client ids
 * are not stored.
 */
export const requestCountsOn = (database: Database, table: string): KyselyRequestCounts => {
  const { locked, replacing } = database.speech
  const upsert = replacing("key", ["full_at"])
  /** Locks the existing buckets of some keys, in key order to avoid deadlocks. */
  const kept = async (statements: Statements, keys: ReadonlyArray<string>): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>()
    for (const part of inParts([...new Set(keys)].sort())) {
      const rows = await statements.rows(
        `SELECT "key", "full_at" FROM ${table} WHERE "key" IN (${part.map(() => "?").join(", ")}) ORDER BY "key"${locked}`,
        part,
      )
      for (const row of rows) found.set(String(row["key"]), Number(row["full_at"]))
    }
    return found
  }
  const write = async (statements: Statements, all: ReadonlyArray<readonly [string, number]>, otherwise: string): Promise<void> => {
    for (const part of inParts(all))
      await statements.change(
        `INSERT INTO ${table} ("key", "full_at") VALUES ${part.map(() => "(?, ?)").join(", ")}${otherwise}`,
        part.flat(),
      )
  }
  return {
    exchange: async (taken, millis) => {
      if (taken.length === 0) return []
      const keys = taken.map(({ key }) => hash("sha256", key, "base64url"))
      return database.transact("count requests", async (statements) => {
        const before = await kept(statements, keys)
        const fullAt = new Map(before)
        const answers = taken.map((each, at) => {
          const key = keys[at] ?? ""
          const full = mergedRequests(fullAt.get(key), each, millis)
          fullAt.set(key, full)
          return full
        })
        const all = [...fullAt].sort(([left], [right]) => (left < right ? -1 : 1))
        // A bucket that another process inserts concurrently must not be overwritten. The insert then fails, and the transaction is
        // retried.
        await write(
          statements,
          all.filter(([key]) => !before.has(key)),
          "",
        )
        await write(
          statements,
          all.filter(([key, full]) => before.has(key) && before.get(key) !== full),
          upsert,
        )
        return answers
      })
    },
    sweep: async (asked) => {
      const now = secondsOf("sweep: now: is", asked)
      const statements = database.alone("sweep counts of requests")
      const found = await statements.rows(`SELECT "key" FROM ${table} WHERE "full_at" <= ? LIMIT ${mostRows}`, [now * 1000])
      if (found.length === 0) return 0
      return statements.change(`DELETE FROM ${table} WHERE "key" IN (${found.map(() => "?").join(", ")}) AND "full_at" <= ?`, [
        ...found.map(({ key }) => String(key)),
        now * 1000,
      ])
    },
  }
}
