import { refuseDatabase } from "../database/refuseDatabase.ts"
import type { AuditEvent, Instant } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import { type Audit, type AuditLimits, auditLimits, type AuditQuery } from "@postern/stores"
import { auditEventOf, auditQueue, type AuditRow, type WriteBatch } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import { withoutWaiting } from "../database/lock.ts"
import { auditRows } from "./rows.ts"

/** Audit events in a SQLite database. */
export interface SqliteAudit extends Audit {
  readonly list: (query: AuditQuery) => ReadonlyArray<AuditEvent>
  readonly sweep: (now: Instant) => number
}

/** Keeps audit events in a database. */
export const sqliteAudit = (database: Database, limits: AuditLimits = auditLimits(), writeRows?: WriteBatch<AuditRow>): SqliteAudit => {
  refuseDatabase("sqliteAudit", database, limits)
  const rows = auditRows(database, limits)
  const waiting = auditQueue(writeRows ?? ((written) => withoutWaiting(database, () => rows.insert(written))))
  const select = database
    .prepare<[Record<string, string | number | null>], string>(`
    SELECT content FROM audit_events WHERE (:event IS NULL OR event = :event) AND (:clientId IS NULL OR client_id = :clientId)
      AND (:subject IS NULL OR subject = :subject) AND at >= :since ORDER BY number DESC LIMIT :most`)
    .pluck()
  return {
    record: waiting.record,
    list: ({ event = null, clientId = null, subject = null, since = 0, most }) => {
      void waiting.flush()
      const found = guarded("read audit events", () => select.all({ event, clientId, subject, since, most }))
      return found.reverse().map(auditEventOf)
    },
    flush: waiting.flush,
    dropped: waiting.dropped,
    sweep: (now) => guarded("sweep audit events", () => withoutWaiting(database, () => rows.sweep(secondsOf("sweep: now: is", now)))),
  }
}
