import type { AuditEvent, Instant, Seconds } from "@postern/core/model"
import type { AuditPort, Awaitable } from "@postern/core/ports"
import { type Batches, batches, type WriteBatch } from "../trails/batches.ts"

/** Options for storing audit events. */
export interface AuditOptions {
  /** True if events are stored in the database. Default: false. */
  readonly store: boolean
  /** The maximum age of an event. Default: 90 days. */
  readonly age?: Seconds
  /** The maximum number of stored events, of which the latest are kept. Default: a million. Each takes at most 4 KiB. */
  readonly most?: number
}

/** Bounds of the audit store, in time and number. */
export interface AuditLimits {
  /** The maximum age of a stored event. */
  readonly age: Seconds
  /** The maximum number of stored events. */
  readonly most: number
}

/** A filter of stored events. An undefined member matches any event. */
export interface AuditQuery {
  /** Matches events of this kind. */
  readonly event?: string | undefined
  /** Matches events of this client. */
  readonly clientId?: string | undefined
  /** Matches events of this person. */
  readonly subject?: string | undefined
  /** The earliest time of a matching event. */
  readonly since?: Instant | undefined
  /** The maximum number of events to return, of which the latest are taken. */
  readonly most: number
}

/** Stores audit events for the operator. */
export interface Audit extends AuditPort {
  /** Lists the matching events, oldest first. */
  readonly list: (query: AuditQuery) => Awaitable<ReadonlyArray<AuditEvent>>
  /** Writes the queued events. They are also written after 200 ms, or at once when 200 are queued. Call this before closing. */
  readonly flush: () => void | Promise<void>
  /** The number of events that were dropped because the queue was full or the database could not store them. */
  readonly dropped: () => number
  /** Drops events beyond the age limit, and the oldest beyond the number limit, some hundreds at a time. Returns the number dropped. */
  readonly sweep: (now: Instant) => Awaitable<number>
}

/** Default bounds: a million events, for 90 days. */
export const auditLimits = ({ age = 7_776_000, most = 1_000_000 }: Partial<AuditLimits> = {}): AuditLimits => ({ age, most })

/** The row of an audit event: the columns that it is searched by, and the whole event as JSON. */
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

/** Parses a stored event. Only this file writes such rows, always from an AuditEvent. */
export const auditEventOf = (content: string): AuditEvent => ({ ...absent, ...JSON.parse(content) }) as AuditEvent

/** The maximum length of one event, in bytes. Only scopes and details can be long, and they are truncated. */
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

/** Queues audit events and writes them together a moment later. */
export const auditQueue = (insert: WriteBatch<AuditRow>): AuditPort & Pick<Batches<unknown>, "flush" | "dropped"> => {
  const waiting = batches(rowsOf, (written: ReadonlyArray<ReadonlyArray<AuditRow>>) => insert(written.flat()))
  return {
    // The events are computed now, because their source may change before they are written.
    record: (events) => waiting.add(events()),
    flush: waiting.flush,
    dropped: waiting.dropped,
  }
}
