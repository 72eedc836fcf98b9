import type { Trail } from "@postern/core/model"
import type { TrailOptions, Trails } from "@postern/stores"
import { trailLimits, trailOf, trailQueue, type TrailRow } from "@postern/stores/rows"
import type { Database, Found } from "./database.ts"
import { logOn, numberOf, slice } from "./log.ts"

/** A trail store over Kysely. */
export interface KyselyTrails extends Trails {
  readonly flush: () => Promise<void>
}

/** Stores trails in a database. */
export const trailsOn = (database: Database, table: string, options: TrailOptions = {}): KyselyTrails => {
  const { read: textOf, replacing } = database.speech
  const columns = ["request_id", "at", "refused", "content"]
  const log = logOn(
    database,
    table,
    { called: "trails", columns, otherwise: replacing("request_id", columns.slice(1)) },
    trailLimits(options),
  )
  // A statement cannot change a row twice, so only the last of several trails of one request is kept.
  const insert = (rows: ReadonlyArray<TrailRow>): Promise<void> => log.insert([...new Map(rows.map((row) => [row[0], row])).values()])
  const { record, flush, dropped } = trailQueue(options, insert)
  const trail = (row: Found): Trail => trailOf(textOf(String(row["content"])))
  return {
    record,
    find: async (requestId) => {
      await flush()
      const [found] = await database.alone("read a trail").rows(`SELECT "content" FROM ${table} WHERE "request_id" = ?`, [requestId])
      return found && trail(found)
    },
    ofClient: async (clientId, since) => {
      await flush()
      const { rows } = database.alone("read the trails of a client")
      const all: Array<Trail> = []
      for (let after = 0; ;) {
        const sql = `SELECT "number", "content" FROM ${table} WHERE "number" > ? AND "at" >= ? ORDER BY "number" LIMIT ${slice}`
        const found = await rows(sql, [after, since])
        all.push(...found.map(trail).filter((each) => each.clientId === clientId))
        const last = found.at(-1)
        if (last === undefined || found.length < slice) return all
        after = numberOf(last)
      }
    },
    flush: async () => flush(),
    dropped,
    sweep: log.sweep,
  }
}
