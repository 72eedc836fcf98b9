import type { Instant, Trail } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import type { TrailOptions, Trails } from "@postern/stores"
import { parameter, readText, trailLimits, trailOf, trailQueue, type TrailRow } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { reading } from "../database/failure.ts"

/** Trails in a PostgreSQL database. */
export interface PostgresTrails extends Trails {
  readonly flush: () => Promise<void>
  readonly sweep: (now: Instant) => Promise<number>
}

const slice = 500

/** Keeps trails in a database. */
export const postgresTrails = (database: Database, options: TrailOptions = {}): PostgresTrails => {
  const { most, age } = trailLimits(options)

  const insert = async (rows: ReadonlyArray<TrailRow>): Promise<void> => {
    // One statement cannot change a row twice, so only the last of several trails of one request is written.
    const last = [...new Map(rows.map((row) => [row[0], row])).values()]
    await database.write(
      "write trails",
      `INSERT INTO postern.trails (request_id, at, refused, content)
      SELECT row->>0, (row->>1)::bigint, (row->>2)::smallint, row->>3 FROM jsonb_array_elements($1::text::jsonb) AS given (row)
      ON CONFLICT (request_id) DO UPDATE SET at = excluded.at, refused = excluded.refused, content = excluded.content`,
      [JSON.stringify(last.map((row) => row.map(parameter)))],
    )
  }
  const { record, flush, dropped } = trailQueue(options, insert)

  return {
    record,
    find: async (requestId) => {
      await flush()
      const operation = "read a trail"
      const [[content] = []] = await database.read(operation, "SELECT content FROM postern.trails WHERE request_id = $1", [
        parameter(requestId),
      ])
      return typeof content === "string" ? reading(operation, () => trailOf(readText(content))) : undefined
    },
    ofClient: async (clientId, since) => {
      await flush()
      const operation = "read the trails of a client"
      const found: Array<Trail> = []
      for (let after = 0; ;) {
        const rows = await database.read(
          operation,
          `SELECT number, content FROM postern.trails WHERE number > $1::bigint AND at >= $2::bigint ORDER BY number LIMIT ${slice}`,
          [after, since],
        )
        for (const [number, content] of rows) {
          after = Number(number)
          const trail = typeof content === "string" ? reading(operation, () => trailOf(readText(content))) : undefined
          if (trail?.clientId === clientId) found.push(trail)
        }
        if (rows.length < slice) return found
      }
    },
    flush: async () => flush(),
    dropped,
    sweep: async (now) => {
      const sql = `DELETE FROM postern.trails WHERE number IN (
        SELECT number FROM (SELECT number, at FROM postern.trails ORDER BY number LIMIT ${slice} FOR UPDATE SKIP LOCKED) oldest
        WHERE number <= (SELECT max(number) FROM postern.trails) - $2::bigint
          OR number <= (SELECT max(number) FROM (SELECT number, at FROM postern.trails ORDER BY number LIMIT ${slice}) aged WHERE at <= $1))`
      return (await database.write("sweep trails", sql, [secondsOf("sweep: now: is", now) - age, most])).count
    },
  }
}
