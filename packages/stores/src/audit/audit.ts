import type { AuditEvent, Instant, Seconds } from "@postern/core/model"
import type { AuditPort, Awaitable } from "@postern/core/ports"
import { type Batches, batches, type WriteBatch } from "../trails/batches.ts"

/** Options of keeping audit events. */
export interface AuditOptions {
  /** True if they are kept in the database. false when not given. */
  readonly store: boolean
  /** For how long; 90 days when not given. */
  readonly age?: Seconds
  /** Number of events that are kept, the latest. Default: a million. Each takes at most 4 KiB. */
  readonly most?: number
}

/** Bounds of the audit store, in time and number. */
export interface AuditLimits {
  /** The longest age of an event that is kept. */
  readonly age: Seconds
  /** The most events that are kept. */
  readonly most: number
}

/** A filter of stored events; an undefined member allows any. */
export interface AuditQuery {
  /** Events of this kind alone. */
  readonly event?: string | undefined
  /** Events of this client alone. */
  readonly clientId?: string | undefined
  /** Events of this person alone. */
  readonly subject?: string | undefined
  /** Not earlier than this. */
  readonly since?: Instant | undefined
  /** At most so many, the latest. */
  readonly most: number
}

/** Keeps audit events for the operator. */
export interface Audit extends AuditPort {
  /** The events, oldest first. */
  readonly list: (query: AuditQuery) => Awaitable<ReadonlyArray<AuditEvent>>
  /** Writes what waits. It happens by itself within 200 ms, or at once when 200 wait; call it before closing. */
  readonly flush: () => void | Promise<void>
  /** Number of events that were dropped, because they came faster than they could be written or the database could not take them. */
  readonly dropped: () => number
  /** Drops events beyond the age limit, and the oldest beyond the number limit, some hundreds at a time. Returns the number dropped. */
  readonly sweep: (now: Instant) => Awaitable<number>
}

/** Default bounds: a million events, for 90 days. */
export const auditLimits = ({ age = 7_776_000, most = 1_000_000 }: Partial<AuditLimits> = {}): AuditLimits => ({ age, most })

/** An audit event as it is stored: what it is found by, and all of it as JSON. */
export type AuditRow = readonly [at: Instant, event: string, clientId: string | null, subject: string | null, content: string]

/** Members that may be absent; JSON leaves them out when they are. */
const absent = {
  requestId: undefined,
  endpoint: undefined,
  address: undefined,
  clientId: undefined,
  subject: undefined,
  account: undefined,
  sessionId: undefined,
  grantId: undefined,
  scope: undefined,
  detail: undefined,
} satisfies Partial<AuditEvent>

/** The event of a stored content, which was written here from an AuditEvent and by nobody else. */
export const auditEventOf = (content: string): AuditEvent => ({ ...absent, ...JSON.parse(content) }) as AuditEvent

/** Bytes of one event, at most: only scopes and details can be long, and are cut. */
const longest = 4096
const cut = { scopes: 10, scope: 60, detail: 300 }

const contentOf = (event: AuditEvent): string => {
  const content = JSON.stringify(event)
  if (Buffer.byteLength(content) <= longest) return content
  const { scope, detail } = event
  return JSON.stringify({
    ...event,
    scope: scope?.slice(0, cut.scopes).map((name) => name.slice(0, cut.scope)),
    detail: detail?.slice(0, cut.detail),
  })
}

const rowsOf = (events: ReadonlyArray<AuditEvent>): ReadonlyArray<AuditRow> =>
  events.map((each) => [each.at, each.event, each.clientId ?? null, each.subject ?? null, contentOf(each)])

/** Events that wait: noted at once, written together a moment later. */
export const auditQueue = (insert: WriteBatch<AuditRow>): AuditPort & Pick<Batches<unknown>, "flush" | "dropped"> => {
  const waiting = batches(rowsOf, (written: ReadonlyArray<ReadonlyArray<AuditRow>>) => insert(written.flat()))
  return {
    // Spelled out at once: what it tells of is gone a moment later.
    record: (events) => waiting.add(events()),
    flush: waiting.flush,
    dropped: waiting.dropped,
  }
}
