import type { AuditEvent, Instant, Seconds } from "@postern/core/model"
import type { AuditPort } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/errors.ts"
import { withoutWaiting } from "../database/lock.ts"
import { type WriteBatch, batches } from "../trails/batches.ts"
import { type AuditRow, auditRows } from "./rows.ts"

/** Which stored events are wanted; what is undefined is any. */
export interface AuditQuery {
  readonly event: string | undefined
  readonly clientId: string | undefined
  readonly subject: string | undefined
  /** Not earlier than this. */
  readonly since: Instant | undefined
  /** At most so many, the latest. */
  readonly most: number
}

/** Keeps audit events for the operator. */
export interface SqliteAudit extends AuditPort {
  /** What was kept, oldest first. */
  readonly list: (query: AuditQuery) => ReadonlyArray<AuditEvent>
  /** Writes what waits. It happens by itself within 200 ms, or at once when 200 wait; call it before closing. */
  readonly flush: () => void | Promise<void>
  /** How many events were given up, because they came faster than they could be written or the database could not take them. */
  readonly dropped: () => number
  /** Drops events over age, some hundreds at a time; how many. */
  readonly sweep: (now: Instant) => number
}

/** How long an event is kept when nothing else is said: 90 days. */
export const auditAge: Seconds = 7_776_000

/** Members that may be absent; JSON leaves them out when they are. */
const absent = {
  requestId: undefined,
  endpoint: undefined,
  address: undefined,
  clientId: undefined,
  subject: undefined,
  sessionId: undefined,
  grantId: undefined,
  scope: undefined,
  detail: undefined,
} satisfies Partial<AuditEvent>

const rowsOf = (events: ReadonlyArray<AuditEvent>): ReadonlyArray<AuditRow> =>
  events.map((each) => [each.at, each.event, each.clientId ?? null, each.subject ?? null, JSON.stringify(each)])

/** Keeps audit events in a database: noted at once, written together a moment later. */
export const sqliteAudit = (database: Database, age: Seconds = auditAge, writeRows?: WriteBatch<AuditRow>): SqliteAudit => {
  const rows = auditRows(database, age)
  const insert: WriteBatch<AuditRow> = writeRows ?? ((written) => withoutWaiting(database, () => rows.insert(written)))
  const waiting = batches(rowsOf, (written: ReadonlyArray<ReadonlyArray<AuditRow>>) => insert(written.flat()))
  const select = database
    .prepare<[Record<string, string | number | null>], string>(`
    SELECT content FROM audit_events WHERE (:event IS NULL OR event = :event) AND (:clientId IS NULL OR client_id = :clientId)
      AND (:subject IS NULL OR subject = :subject) AND at >= :since ORDER BY number DESC LIMIT :most`)
    .pluck()
  return {
    // Spelled out at once: what it tells of is gone a moment later.
    record: (events) => waiting.add(events()),
    list: ({ event = null, clientId = null, subject = null, since = 0, most }) => {
      void waiting.flush()
      const found = guarded("read audit events", () => select.all({ event, clientId, subject, since, most }))
      // Written above from an AuditEvent, and by nobody else.
      return found.reverse().map((content) => ({ ...absent, ...JSON.parse(content) }) as AuditEvent)
    },
    flush: waiting.flush,
    dropped: waiting.dropped,
    sweep: (now) => guarded("sweep audit events", () => withoutWaiting(database, () => rows.sweep(now))),
  }
}
