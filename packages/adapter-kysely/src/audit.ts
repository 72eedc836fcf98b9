import { type Audit, type AuditLimits, auditLimits } from "@postern/stores"
import { auditEventOf, auditQueue } from "@postern/stores/rows"
import type { Database } from "./database.ts"
import { logOn } from "./log.ts"

/** An audit event store over Kysely. */
export interface KyselyAudit extends Audit {
  readonly flush: () => Promise<void>
}

const columns = ["at", "event", "client_id", "subject", "content"]

/** Stores audit events in a database. */
export const auditOn = (database: Database, table: string, limits: AuditLimits = auditLimits()): KyselyAudit => {
  const log = logOn(database, table, { called: "audit events", columns }, limits)
  const { record, flush, dropped } = auditQueue(log.insert)
  return {
    record,
    list: async ({ event, clientId, subject, since = 0, most }) => {
      await flush()
      const asked = Object.entries({ event, client_id: clientId, subject }).filter(([, value]) => value !== undefined)
      const where = ['"at" >= ?', ...asked.map(([column]) => `"${column}" = ?`)].join(" AND ")
      const found = await database
        .alone("read audit events")
        .rows(`SELECT "content" FROM ${table} WHERE ${where} ORDER BY "number" DESC LIMIT ${Math.trunc(most)}`, [
          since,
          ...asked.map(([, value]) => value),
        ])
      return found.toReversed().map((row) => auditEventOf(database.speech.read(String(row["content"]))))
    },
    flush: async () => flush(),
    dropped,
    sweep: log.sweep,
  }
}
