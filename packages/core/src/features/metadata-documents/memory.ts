import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Instant, Seconds } from "../../model/index.ts"
import { OutwardRefused, PortFailed } from "../../ports/index.ts"
import { withoutPort } from "./options.ts"

/** Seconds for which a failure is remembered, so that invented ids do not cause fetches. */
const failureLife: Seconds = 30

/** The most failures that are remembered in one process. */
const mostFailures = 1_000

/** The most fetches from one host in a minute, per process, so that nobody can use invented ids to make the provider flood a host. */
const mostFetches = 120

/** The most hosts whose fetches are counted. */
const mostHosts = 1_000

/** Seconds over which fetches are counted. */
const minute: Seconds = 60

const within = (now: Instant, since: Instant, life: Seconds): boolean => now >= since && now < since + life

interface Failure<Bad> {
  readonly host: string
  readonly at: Instant
  readonly bad: Bad
}

type Failures<Bad> = Map<string, Failure<Bad>>

/**
 * The memory of one provider in one process, in addition to the documents that all processes share. Other issuers of the process have other
 * policies and rows.
 */
export interface Memory<Fetched, Bad> {
  readonly underway: Map<string, Deferred.Deferred<Fetched, PortFailed>>
  readonly failures: Failures<Bad>
}

/** An empty memory. */
export const noMemory = <Fetched, Bad>(): Memory<Fetched, Bad> => ({ underway: new Map(), failures: new Map() })

/** A recent failure of a client's document. */
export const failureOf = <Bad>(failures: Failures<Bad>, clientId: string, now: Instant): Bad | undefined => {
  const failed = failures.get(clientId)
  return failed !== undefined && within(now, failed.at, failureLife) ? failed.bad : undefined
}

/**
 * Remembers a failure. If there are too many, expired ones are removed, or otherwise the oldest of the host that has the most, so that ids
 * of one host cannot displace the failures of another.
 */
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

/** The fetches from each host, for all providers that share an Outbound port, because the host does not care which of them asks. */
export type Fetches = Map<string, { since: Instant; count: number }>

/**
 * Makes room for another host. Hosts whose minute is over are removed, or otherwise the one that was asked least, so that the names of
 * other hosts cannot reset the count of a host.
 */
const makeRoom = (fetches: Fetches, now: Instant): boolean => {
  for (const [host, { since }] of fetches) if (!within(now, since, minute)) fetches.delete(host)
  if (fetches.size < mostHosts) return true
  const [least, { count }] = [...fetches].reduce((least, each) => (each[1].count < least[1].count ? each : least))
  return count < mostFetches && fetches.delete(least)
}

/** Counts a fetch. Fails if the host was asked too often, at any port. */
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
