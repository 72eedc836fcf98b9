import type { Instant, Seconds, Trail } from "@postern/core/model"
import type { TrailPort } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/errors.ts"
import { withoutWaiting } from "../database/lock.ts"
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

const batch = 200
const waitingMost = 2000
/** Milliseconds before what waits is written, and before it is tried again when it could not be. */
const pause = 200
const retryPause = 2000

/** Members that may be absent; JSON leaves them out when they are. */
const absent = { clientId: undefined, subject: undefined, fault: undefined } satisfies Partial<Trail>

/** Where trails are written: at once, or on another thread. */
export type WriteTrails = (rows: ReadonlyArray<TrailRow>) => void | Promise<void>

/** Keeps trails in a database: noted at once, spelled out and written together a moment later. */
export const sqliteTrails = (
  database: Database,
  { policy = "refused", most = 20_000, age = 604_800 }: TrailOptions = {},
  writeRows?: WriteTrails,
): SqliteTrails => {
  const rows = trailRows(database, { most, age })
  const insert: WriteTrails = writeRows ?? ((written) => withoutWaiting(database, () => rows.insert(written)))
  const select = database.prepare<[string], string>("SELECT content FROM trails WHERE request_id = ?").pluck()

  let waiting: Array<Waiting> = []
  let timer: NodeJS.Timeout | undefined
  let underway: Promise<boolean> | undefined
  let dropped = 0

  /** Writes one batch; false when the database could not take it. Nobody waits for a trail, and no request fails for want of one. */
  const write = (): boolean | Promise<boolean> => {
    const taken = waiting.slice(0, batch)
    const spelled = taken.map(rowOf)
    const written = (): boolean => {
      waiting = waiting.filter((each) => !taken.includes(each))
      dropped += spelled.filter((row) => row === undefined).length
      return true
    }
    try {
      const later = insert(spelled.filter((row) => row !== undefined))
      return later === undefined ? written() : later.then(written, () => false)
    } catch {
      return false
    }
  }
  const next = (written: boolean): void => {
    if (waiting.length > 0) arm(written ? 0 : retryPause)
  }
  const arm = (delay: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      if (underway !== undefined) return
      const written = write()
      if (typeof written === "boolean") return next(written)
      underway = written
      void written.then((done) => {
        underway = undefined
        next(done)
      })
    }, delay).unref()
  }
  const flush = (): void | Promise<void> => {
    while (waiting.length > 0) {
      const written = underway ?? write()
      if (typeof written !== "boolean") return written.then((done) => (done ? flush() : undefined))
      if (!written) return
    }
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
      void flush()
      const content = guarded("read a trail", () => select.get(requestId))
      // Written above from a Trail, and by nobody else.
      return content === undefined ? undefined : ({ ...absent, ...JSON.parse(content) } as Trail)
    },
    flush,
    dropped: () => dropped,
    sweep: (now) => guarded("sweep trails", () => withoutWaiting(database, () => rows.sweep(now))),
  }
}

interface Waiting {
  readonly trail: () => Trail
  readonly refused: boolean
}

/** A trail as it is stored; undefined when it cannot be told, which is its own loss alone. */
const rowOf = ({ trail, refused }: Waiting): TrailRow | undefined => {
  try {
    const told = trail()
    return [told.requestId, told.at, refused ? 1 : 0, JSON.stringify(told)]
  } catch {
    return undefined
  }
}
