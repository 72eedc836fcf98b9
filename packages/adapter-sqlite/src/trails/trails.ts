import type { Instant, Seconds, Trail } from "@postern/core/model"
import type { TrailPort } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/errors.ts"
import { withoutWaiting } from "../database/lock.ts"
import { type WriteBatch, batches } from "./batches.ts"
import { type TrailRow, trailRows } from "./rows.ts"

/** Which requests leave a trail: those refused, all, or none. */
export type TrailPolicy = "refused" | "all" | "off"

/** How trails are kept. */
export interface TrailOptions {
  /** `refused` when not given. */
  readonly policy?: TrailPolicy
  /** How many trails are kept; 20,000 when not given. */
  readonly most?: number
  /** How long a trail is kept; 7 days when not given. */
  readonly age?: Seconds
}

/** Keeps the trails of requests for the operator. */
export interface SqliteTrails extends TrailPort {
  /** The trail of a request, by the id its answer carried; what another thread is still to write may be missing. */
  readonly find: (requestId: string) => Trail | undefined
  /** Writes what waits. It happens by itself within 200 ms, or at once when 200 wait; call it before closing. */
  readonly flush: () => void | Promise<void>
  /** How many trails were given up, because they came faster than they could be written or the database could not take them. */
  readonly dropped: () => number
  /** Drops trails over number or age, some hundreds at a time; how many. */
  readonly sweep: (now: Instant) => number
}

/** Members that may be absent; JSON leaves them out when they are. */
const absent = { clientId: undefined, subject: undefined, fault: undefined } satisfies Partial<Trail>

/** Keeps trails in a database: noted at once, spelled out and written together a moment later. */
export const sqliteTrails = (
  database: Database,
  { policy = "refused", most = 20_000, age = 604_800 }: TrailOptions = {},
  writeRows?: WriteBatch<TrailRow>,
): SqliteTrails => {
  const rows = trailRows(database, { most, age })
  const waiting = batches(rowOf, writeRows ?? ((written) => withoutWaiting(database, () => rows.insert(written))))
  const select = database.prepare<[string], string>("SELECT content FROM trails WHERE request_id = ?").pluck()
  return {
    record: (trail, refused) => {
      if (policy === "all" || (policy === "refused" && refused)) waiting.add({ trail, refused })
    },
    find: (requestId) => {
      void waiting.flush()
      const content = guarded("read a trail", () => select.get(requestId))
      // Written above from a Trail, and by nobody else.
      return content === undefined ? undefined : ({ ...absent, ...JSON.parse(content) } as Trail)
    },
    flush: waiting.flush,
    dropped: waiting.dropped,
    sweep: (now) => guarded("sweep trails", () => withoutWaiting(database, () => rows.sweep(now))),
  }
}

interface Waiting {
  readonly trail: () => Trail
  readonly refused: boolean
}

/** A trail as it is stored. */
const rowOf = ({ trail, refused }: Waiting): TrailRow => {
  const told = trail()
  return [told.requestId, told.at, refused ? 1 : 0, JSON.stringify(told)]
}
