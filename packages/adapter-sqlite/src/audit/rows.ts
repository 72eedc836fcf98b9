import type { Instant } from "@postern/core/model"
import type { AuditLimits } from "@postern/stores"
import type { AuditRow } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"

/** The maximum number of events that one slice of a sweep deletes. */
const slice = 500

/** Writes audit events, and deletes those over the maximum age or number. */
export interface AuditRows {
  readonly insert: (rows: ReadonlyArray<AuditRow>) => void
  /** Deletes up to 500 old events and returns their number. */
  readonly sweep: (now: Instant) => number
}

/** Prepares the statements that change audit events. */
export const auditRows = (database: Database, { age, most }: AuditLimits): AuditRows => {
  const insert = database.prepare("INSERT INTO audit_events (at, event, client_id, subject, content) VALUES (?, ?, ?, ?, ?)")
  const over = "at <= ? OR number <= (SELECT max(number) FROM audit_events) - ?"
  const oldest = (count: string): string => `(SELECT number, at FROM audit_events ORDER BY number LIMIT ${count})`
  const remove = database.prepare(`DELETE FROM audit_events WHERE number IN (SELECT number FROM ${oldest("?")} WHERE ${over})`)
  const insertAll = database.transaction((rows: ReadonlyArray<AuditRow>): void => {
    for (const row of rows) insert.run(...row)
  })
  const old = database.prepare<[number, number], 1>(`SELECT 1 FROM ${oldest("1")} WHERE ${over}`).pluck()
  return {
    insert: (rows) => insertAll.immediate(rows),
    // The read first avoids taking the write lock when there is nothing to delete.
    sweep: (now) => (old.get(now - age, most) === undefined ? 0 : remove.run(slice, now - age, most).changes),
  }
}
