import type { AuditEvent } from "@postern/core/model"
import type { AuditPort } from "@postern/core/ports"
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
export const logAudit = ({ log, next }: AuditLogOptions): AuditPort => ({
  record: (events) => {
    const told = events()
    next?.record(() => told)
    for (const each of told) if (each.event !== "refused") log.line("info", "audit", fieldsOf(each))
  },
})
