import type { AuditEvent } from "@postern/core/model"
import type { AuditPort } from "@postern/core/ports"
import { memberFaults, refuseFaults } from "@postern/core/options"
import type { Fields, JsonLog } from "./log.ts"

/** Settings of an audit log. */
export interface AuditLogOptions {
  /** The log to write to. */
  readonly log: JsonLog
  /** Also receives every event. */
  readonly next?: AuditPort | undefined
}

const fieldsOf = ({
  event,
  requestId,
  endpoint,
  address,
  clientId,
  subject,
  account,
  sessionId,
  grantId,
  scope,
  detail,
}: AuditEvent): Fields => ({
  event,
  request_id: requestId,
  endpoint,
  address,
  client_id: clientId,
  subject,
  account,
  session_id: sessionId,
  grant_id: grantId,
  scope,
  detail,
})

/** Writes one line per event, at level `info`. A refusal also has a line of its own, with its rule and reason. */
export const logAudit = (options: AuditLogOptions): AuditPort => {
  refuseFaults("logAudit", memberFaults(options, { log: "object", next: "object?" }))
  const { log, next } = options
  return {
    record: (events) => {
      const told = events()
      next?.record(() => told)
      for (const each of told) if (each.event !== "refused") log.line("info", "audit", fieldsOf(each))
    },
  }
}
