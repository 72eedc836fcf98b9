import type { Instant, Seconds, Trail } from "@postern/core/model"
import type { Awaitable, TrailPort } from "@postern/core/ports"
import { type Batches, batches, type WriteBatch } from "./batches.ts"

/** The requests whose trails are stored: refused ones, all, or none. */
export type TrailPolicy = "refused" | "all" | "off"

/** Options for storing trails. */
export interface TrailOptions {
  /** The requests whose trails are stored. Default: `refused`. */
  readonly policy?: TrailPolicy
  /** The maximum number of stored trails. Default: 20,000. */
  readonly most?: number
  /** The lifetime of a trail. Default: 7 days. */
  readonly age?: Seconds
}

/** Stores the trails of requests for the operator. */
export interface Trails extends TrailPort {
  /** Finds the trail of a request by the id in its response. It may miss a trail that another thread has yet to write. */
  readonly find: (requestId: string) => Awaitable<Trail | undefined>
  /** Lists the stored trails of a client's requests since a time, oldest first. */
  readonly ofClient: (clientId: string, since: Instant) => Awaitable<ReadonlyArray<Trail>>
  /** Writes the queued trails. They are also written after 200 ms, or at once when 200 are queued. Call this before closing. */
  readonly flush: () => void | Promise<void>
  /** The number of trails that were dropped because the queue was full or the database could not store them. */
  readonly dropped: () => number
  /** Drops trails beyond the limits on number or age, some hundreds at a time. Returns the number dropped. */
  readonly sweep: (now: Instant) => Awaitable<number>
}

/** The maximum number and age of trails. */
export const trailLimits = ({ most = 20_000, age = 604_800 }: TrailOptions): { readonly most: number; readonly age: Seconds } => ({
  most,
  age,
})

/** The row of a trail. */
export type TrailRow = readonly [requestId: string, at: Instant, refused: number, content: string]

/** Members that may be absent; JSON leaves them out when they are. */
const absent = { clientId: undefined, subject: undefined, fault: undefined } satisfies Partial<Trail>

/** Parses a stored trail. Only this file writes such rows, always from a Trail. */
export const trailOf = (content: string): Trail => ({ ...absent, ...JSON.parse(content) }) as Trail

/** Queues trails, and converts and writes them together a moment later. */
export const trailQueue = (
  { policy = "refused" }: TrailOptions,
  insert: WriteBatch<TrailRow>,
): Pick<Trails, "record"> & Pick<Batches<unknown>, "flush" | "dropped"> => {
  const waiting = batches(rowOf, insert)
  return {
    record: (trail, refused) => {
      if (policy === "all" || (policy === "refused" && refused)) waiting.add({ trail, refused })
    },
    flush: waiting.flush,
    dropped: waiting.dropped,
  }
}

interface Waiting {
  readonly trail: () => Trail
  readonly refused: boolean
}

/** Converts a trail to a row. */
const rowOf = ({ trail, refused }: Waiting): TrailRow => {
  const told = trail()
  return [told.requestId, told.at, refused ? 1 : 0, JSON.stringify(told)]
}
