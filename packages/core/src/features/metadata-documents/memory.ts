import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Instant, Seconds } from "../../model/index.ts"
import { OutwardRefused, PortFailed } from "../../ports/index.ts"
import { withoutPort } from "./options.ts"

/** Seconds for which a failure is remembered: made-up ids must not cost fetches. */
const failureLife: Seconds = 30

/** Failures that are remembered in one process. */
const mostFailures = 1_000

/** Fetches of one host in a minute, of one process: whoever makes up ids must not have others asked by us. */
const mostFetches = 120

/** Hosts whose fetches are counted. */
const mostHosts = 1_000

/** Seconds for which fetches are counted together. */
const minute: Seconds = 60

const within = (now: Instant, since: Instant, life: Seconds): boolean => now >= since && now < since + life

interface Failure<Bad> {
  readonly host: string
  readonly at: Instant
  readonly bad: Bad
}

type Failures<Bad> = Map<string, Failure<Bad>>

/** The memory of one provider in one process, beside the documents that all share. Other issuers of the process have other policies and rows. */
export interface Memory<Fetched, Bad> {
  readonly underway: Map<string, Deferred.Deferred<Fetched, PortFailed>>
  readonly failures: Failures<Bad>
}

/** An empty memory. */
export const noMemory = <Fetched, Bad>(): Memory<Fetched, Bad> => ({ underway: new Map(), failures: new Map() })

/** A failure of a moment ago. */
export const failureOf = <Bad>(failures: Failures<Bad>, clientId: string, now: Instant): Bad | undefined => {
  const failed = failures.get(clientId)
  return failed !== undefined && within(now, failed.at, failureLife) ? failed.bad : undefined
}

/** Remembers a failure. Those that are over make way, or else the oldest of the host that has most: nobody pushes out those of another host by ids of one. */
export const rememberFailure = <Bad>(failures: Failures<Bad>, clientId: string, failure: Failure<Bad>): void => {
  failures.delete(clientId)
  if (failures.size >= mostFailures) for (const [id, { at }] of failures) if (!within(failure.at, at, failureLife)) failures.delete(id)
  if (failures.size >= mostFailures) {
    const byHost = Map.groupBy(failures, ([, { host }]) => host)
    const [oldest] = [...byHost.values()].reduce((most, each) => (each.length > most.length ? each : most), [])
    if (oldest !== undefined) failures.delete(oldest[0])
  }
  failures.set(clientId, failure)
}

/** The fetches of each host, of all providers that share an Outbound port: whoever is asked does not care for which of them. */
export type Fetches = Map<string, { since: Instant; count: number }>

/** Makes room for another host: those whose minute is over make way, or else the one that was asked least, so that no host is asked anew by the names of others. */
const makeRoom = (fetches: Fetches, now: Instant): boolean => {
  for (const [host, { since }] of fetches) if (!within(now, since, minute)) fetches.delete(host)
  if (fetches.size < mostHosts) return true
  const [least, { count }] = [...fetches].reduce((least, each) => (each[1].count < least[1].count ? each : least))
  return count < mostFetches && fetches.delete(least)
}

/** Counts a fetch; fails where a host was asked too often, at whatever port. */
export const countFetch = (fetches: Fetches, hostAndPort: string, now: Instant): Effect.Effect<void, PortFailed> => {
  const host = withoutPort(hostAndPort)
  const known = fetches.get(host)
  const counted = known !== undefined && within(now, known.since, minute) ? known : { since: now, count: 0 }
  const isRoom = fetches.has(host) || fetches.size < mostHosts || makeRoom(fetches, now)
  if (!isRoom || counted.count >= mostFetches) {
    const whose = isRoom ? `${host} was asked` : `each of ${mostHosts} hosts was asked`
    const cause = new OutwardRefused(
      `${whose} for ${mostFetches} documents and logos within a minute`,
      Math.max(1, counted.since + minute - now),
    )
    return Effect.fail(new PortFailed({ port: "Outbound", operation: "fetch", cause }))
  }
  counted.count++
  fetches.set(host, counted)
  return Effect.void
}
