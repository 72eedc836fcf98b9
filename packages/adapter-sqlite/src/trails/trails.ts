import { refuseDatabase } from "../database/refuseDatabase.ts"
import type { Instant, Trail } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import type { TrailOptions, Trails } from "@postern/stores"
import { trailLimits, trailOf, trailQueue, type TrailRow, type WriteBatch } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import { withoutWaiting } from "../database/lock.ts"
import { trailRows } from "./rows.ts"

/** Trails in a SQLite database. */
export interface SqliteTrails extends Trails {
  readonly find: (requestId: string) => Trail | undefined
  readonly ofClient: (clientId: string, since: Instant) => ReadonlyArray<Trail>
  readonly sweep: (now: Instant) => number
}

/** Keeps trails in a database. */
export const sqliteTrails = (database: Database, options: TrailOptions = {}, writeRows?: WriteBatch<TrailRow>): SqliteTrails => {
  refuseDatabase("sqliteTrails", database, options)
  const rows = trailRows(database, trailLimits(options))
  const { record, flush, dropped } = trailQueue(options, writeRows ?? ((written) => withoutWaiting(database, () => rows.insert(written))))
  const select = database.prepare<[string], string>("SELECT content FROM trails WHERE request_id = ?").pluck()
  const since = database.prepare<[number], string>("SELECT content FROM trails WHERE at >= ? ORDER BY number").pluck()
  return {
    record,
    ofClient: (clientId, from) => {
      void flush()
      return guarded("read the trails of a client", () => {
        const found: Array<Trail> = []
        // Trails are read one at a time to bound the memory used.
        for (const content of since.iterate(from)) {
          const trail = trailOf(content)
          if (trail.clientId === clientId) found.push(trail)
        }
        return found
      })
    },
    find: (requestId) => {
      void flush()
      const content = guarded("read a trail", () => select.get(requestId))
      return content === undefined ? undefined : trailOf(content)
    },
    flush,
    dropped,
    sweep: (now) => guarded("sweep trails", () => withoutWaiting(database, () => rows.sweep(secondsOf("sweep: now: is", now)))),
  }
}
