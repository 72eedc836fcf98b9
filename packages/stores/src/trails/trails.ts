import type { Instant, Seconds, Trail } from "@postern/core/model"
import type { Awaitable, TrailPort } from "@postern/core/ports"
import { type Batches, batches, type WriteBatch } from "./batches.ts"

/** The requests that leave a trail: those refused, all, or none. */
export type TrailPolicy = "refused" | "all" | "off"

/** Options of keeping trails. */
export interface TrailOptions {
  /** `refused` when not given. */
  readonly policy?: TrailPolicy
  /** Number of trails that are kept; 20,000 when not given. */
  readonly most?: number
  /** Lifetime of a trail; 7 days when not given. */
  readonly age?: Seconds
}

/** Keeps the trails of requests for the operator. */
export interface Trails extends TrailPort {
  /** The trail of a request, by the id its answer carried; what another thread is still to write may be missing. */
  readonly find: (requestId: string) => Awaitable<Trail | undefined>
  /** The trails of a client's requests since a moment, oldest first: those that are kept. */
  readonly ofClient: (clientId: string, since: Instant) => Awaitable<ReadonlyArray<Trail>>
  /** Writes what waits. It happens by itself within 200 ms, or at once when 200 wait; call it before closing. */
  readonly flush: () => void | Promise<void>
  /** Number of trails that were dropped, because they came faster than they could be written or the database could not take them. */
  readonly dropped: () => number
  /** Drops trails beyond the limits on number or age, some hundreds at a time. Returns the number dropped. */
  readonly sweep: (now: Instant) => Awaitable<number>
}

/** Bounds on the number and age of trails. */
export const trailLimits = ({ most = 20_000, age = 604_800 }: TrailOptions): { readonly most: number; readonly age: Seconds } => ({
  most,
  age,
})

/** A trail as it is stored. */
export type TrailRow = readonly [requestId: string, at: Instant, refused: number, content: string]

/** Members that may be absent; JSON leaves them out when they are. */
const absent = { clientId: undefined, subject: undefined, fault: undefined } satisfies Partial<Trail>

/** The trail of a stored content, which was written here from a Trail and by nobody else. */
export const trailOf = (content: string): Trail => ({ ...absent, ...JSON.parse(content) }) as Trail

/** Trails that wait: noted at once, spelled out and written together a moment later. */
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

/** A trail as it is stored. */
const rowOf = ({ trail, refused }: Waiting): TrailRow => {
  const told = trail()
  return [told.requestId, told.at, refused ? 1 : 0, JSON.stringify(told)]
}
