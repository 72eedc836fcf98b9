import type { Instant } from "@postern/core/model"
import { secondsOf } from "@postern/core/options"
import { type Audit, type AuditLimits, auditLimits } from "@postern/stores"
import { auditEventOf, auditQueue, type AuditRow, parameter, readText } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { reading } from "../database/failure.ts"

/** Audit events in a PostgreSQL database. */
export interface PostgresAudit extends Audit {
  readonly sweep: (now: Instant) => Promise<number>
}

const slice = 500

/** Keeps audit events in a database. */
export const postgresAudit = (database: Database, { age, most }: AuditLimits = auditLimits()): PostgresAudit => {
  const insert = async (rows: ReadonlyArray<AuditRow>): Promise<void> => {
    await database.write(
      "write audit events",
      `INSERT INTO postern.audit_events (at, event, client_id, subject, content)
      SELECT (row->>0)::bigint, row->>1, row->>2, row->>3, row->>4
      FROM jsonb_array_elements($1::text::jsonb) WITH ORDINALITY AS given (row, place) ORDER BY place`,
      [JSON.stringify(rows.map((row) => row.map(parameter)))],
    )
  }
  const { record, flush, dropped } = auditQueue(insert)

  return {
    record,
    list: async ({ event = null, clientId = null, subject = null, since = 0, most }) => {
      await flush()
      const operation = "read audit events"
      const found = await database.read(
        operation,
        `SELECT content FROM postern.audit_events WHERE ($1::text IS NULL OR event = $1) AND ($2::text IS NULL OR client_id = $2)
          AND ($3::text IS NULL OR subject = $3) AND at >= $4::bigint ORDER BY number DESC LIMIT $5::bigint`,
        [event, clientId, subject, since, most].map(parameter),
      )
      return reading(operation, () => found.toReversed().map(([content]) => auditEventOf(readText(String(content)))))
    },
    flush,
    dropped,
    sweep: async (now) => {
      const sql = `DELETE FROM postern.audit_events WHERE number IN (
        SELECT number FROM (SELECT number, at FROM postern.audit_events ORDER BY number LIMIT ${slice} FOR UPDATE SKIP LOCKED) oldest
        WHERE at <= $1 OR number <= (SELECT max(number) FROM postern.audit_events) - $2::bigint)`
      return (await database.write("sweep audit events", sql, [secondsOf("sweep: now: is", now) - age, most])).count
    },
  }
}
