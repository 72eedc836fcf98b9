import { systemClock } from "@postern/stores/sql"
import type { AuditEvent, Seconds } from "@postern/core/model"
import { promised } from "../action.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { misused } from "../failure.ts"
import { moment, printable, say, sayJson, table } from "../terminal/output.ts"

/** The parameters of `postern audit`. */
export interface AuditWanted extends Whereabouts {
  readonly event: string | undefined
  readonly client: string | undefined
  readonly subject: string | undefined
  readonly since: string | undefined
  readonly limit: number
  readonly json: boolean
}

const units: Readonly<Record<string, Seconds>> = { s: 1, m: 60, h: 3600, d: 86_400 }

const spanOf = (text: string): Seconds => {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = units[unit]
  if (seconds === undefined) throw misused(`--since ${printable(text)} is not a time span`, "write 90s, 30m, 24h or 7d")
  return Number(count) * seconds
}

const listed = ({ requestId, clientId, sessionId, grantId, ...rest }: AuditEvent): object => ({
  ...rest,
  request_id: requestId,
  client_id: clientId,
  session_id: sessionId,
  grant_id: grantId,
})

const row = ({ at, event, clientId, subject, account, detail, address, requestId }: AuditEvent): ReadonlyArray<string> =>
  [moment(at), event, clientId, subject, account, detail, address, requestId].map((each) => printable(each ?? ""))

/** Lists stored audit events. */
export const listAudit = promised(async ({ event, client, subject, since, limit, json, ...whereabouts }: AuditWanted) => {
  const from = since === undefined ? undefined : systemClock() - spanOf(since)
  return withStores(whereabouts, false, async ({ audit }, { setup }) => {
    const found = await audit.list({ event, clientId: client, subject, since: from, most: limit })
    if (json) return sayJson(found.map(listed))
    if (found.length > 0) return say(table(["AT", "EVENT", "CLIENT", "SUBJECT", "ACCOUNT", "DETAIL", "ADDRESS", "REQUEST"], found.map(row)))
    say("No matching events.")
    if (setup?.audit.store !== true) say('  Events are kept once the configuration says "audit": { "store": true }.')
  })
})
