import type { Instant, Seconds, Trail } from "@postern/core/model"
import type { TrailPort } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/errors.ts"
import { withoutWaiting } from "../database/lock.ts"

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
  /** The trail of a request, by the id its answer carried. */
  readonly find: (requestId: string) => Trail | undefined
  /** Writes what waits. It happens by itself within 200 ms, or at once when 200 wait; call it before closing. */
  readonly flush: () => void
  /** How many trails were given up, because they came faster than they could be written or the database could not take them. */
  readonly dropped: () => number
  /** Drops trails over number or age, some hundreds at a time; how many. */
  readonly sweep: (now: Instant) => number
}

const batch = 200
const waitingMost = 2000
/** Milliseconds before what waits is written, and before it is tried again when it could not be. */
const pause = 200
const retryPause = 2000
const slice = 500

/** Members that may be absent; JSON leaves them out when they are. */
const absent = { clientId: undefined, subject: undefined, fault: undefined } satisfies Partial<Trail>

/** Keeps trails in a database: noted at once, spelled out and written together a moment later. */
export const sqliteTrails = (database: Database, { policy = "refused", most = 20_000, age = 604_800 }: TrailOptions = {}): SqliteTrails => {
  const insert = database.prepare(`
    INSERT INTO trails (request_id, at, refused, content) VALUES (?, ?, ?, ?)
    ON CONFLICT (request_id) DO UPDATE SET at = excluded.at, refused = excluded.refused, content = excluded.content`)
  const select = database.prepare<[string], string>("SELECT content FROM trails WHERE request_id = ?").pluck()
  const oldest = database
    .prepare<[number, number, number], number | null>(`
    SELECT max(number) FROM (SELECT number, at FROM trails ORDER BY number LIMIT ?)
    WHERE at <= ? OR number <= (SELECT max(number) FROM trails) - ?`)
    .pluck()
  const remove = database.prepare("DELETE FROM trails WHERE number <= ?")

  let waiting: Array<Waiting> = []
  let timer: NodeJS.Timeout | undefined
  let dropped = 0

  const insertAll = database.transaction((rows: ReadonlyArray<Row>): void => {
    for (const row of rows) insert.run(...row)
  })
  /** Writes one batch; false when the database could not take it. Nobody waits for a trail, and no request fails for want of one. */
  const write = (): boolean => {
    const rows = waiting.slice(0, batch).map(rowOf)
    try {
      withoutWaiting(database, () => insertAll.immediate(rows.filter((row) => row !== undefined)))
    } catch {
      return false
    }
    waiting = waiting.slice(batch)
    dropped += rows.filter((row) => row === undefined).length
    return true
  }
  const arm = (delay: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      const written = write()
      if (waiting.length > 0) arm(written ? 0 : retryPause)
    }, delay).unref()
  }
  const flush = (): void => {
    while (waiting.length > 0 && write());
  }

  return {
    record: (trail, refused) => {
      if (policy === "off" || (policy === "refused" && !refused)) return
      waiting.push({ trail, refused })
      if (waiting.length > waitingMost) {
        waiting.shift()
        dropped++
      }
      if (timer === undefined || waiting.length === batch) arm(waiting.length < batch ? pause : 0)
    },
    find: (requestId) => {
      flush()
      const content = guarded("read a trail", () => select.get(requestId))
      // Written above from a Trail, and by nobody else.
      return content === undefined ? undefined : ({ ...absent, ...JSON.parse(content) } as Trail)
    },
    flush,
    dropped: () => dropped,
    sweep: (now) =>
      guarded("sweep trails", () =>
        withoutWaiting(database, () => {
          const last = oldest.get(slice, now - age, most)
          return last === undefined || last === null ? 0 : remove.run(last).changes
        }),
      ),
  }
}

interface Waiting {
  readonly trail: () => Trail
  readonly refused: boolean
}

type Row = readonly [requestId: string, at: Instant, refused: number, content: string]

/** A trail as it is stored; undefined when it cannot be told, which is its own loss alone. */
const rowOf = ({ trail, refused }: Waiting): Row | undefined => {
  try {
    const told = trail()
    return [told.requestId, told.at, refused ? 1 : 0, JSON.stringify(told)]
  } catch {
    return undefined
  }
}
