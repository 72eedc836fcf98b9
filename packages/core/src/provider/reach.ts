import type { Composition } from "../features/feature.ts"
import { authorizationServerPath, openidConfigurationPath } from "../features/discovery/index.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import { basePathOf } from "../wire/index.ts"
import { endpointsOf, onceFor } from "./composition.ts"

/** An endpoint as the shell around a provider has to know it. */
export interface ServedEndpoint {
  /** Its name in trails and audit events. */
  readonly name: string
  /** The path below the issuer's that metrics count it under. */
  readonly countedAs: string
  /** The reader of its answers: a person gets a page, a program JSON. */
  readonly audience: "people" | "programs"
}

/** An endpoint, and what the shell around a provider has to know of it. */
export interface Reached {
  readonly endpoint: Endpoint
  readonly served: ServedEndpoint
}

/** The endpoints of providers of one composition, by their paths below the issuer's. */
const reachedBelow = onceFor(
  (provider): ReadonlyMap<string, Reached> =>
    new Map(
      endpointsOf(provider).map((endpoint) => {
        const { name, path, countedAs = path, audience } = endpoint
        return [path, { endpoint, served: { name, countedAs, audience } }]
      }),
    ),
)

/** The endpoints that paths of something else come after. */
const beforePaths = onceFor((provider): ReadonlyArray<Reached> =>
  endpointsOf(provider).flatMap(({ path, isBeforePaths }) => (isBeforePaths === true ? (reachedBelow(provider).get(path) ?? []) : [])),
)

/** Finds the endpoint that stands before the path of something else, at the root of the host, whatever the path of the issuer. */
const reachedBefore = (before: ReadonlyArray<Reached>, path: string): Reached | undefined =>
  path.startsWith("/.well-known/")
    ? before.find(({ endpoint: { path: first } }) => path === first || path.startsWith(`${first}/`))
    : undefined

/** The length of the longest path of an endpoint: no longer end of a path is one's. */
const longestBelow = onceFor((provider): number => Math.max(...[...reachedBelow(provider).keys()].map(({ length }) => length)))

/** Finds the endpoint that a path is one of, whichever the issuer: the one whose own path is the longest that it ends with. Takes time in proportion to the length of the path. */
export const endpointEnding = (provider: Composition, path: string): ServedEndpoint | undefined => {
  const below = reachedBelow(provider)
  const before = reachedBefore(beforePaths(provider), path)
  if (before !== undefined) return before.served
  for (const first of [authorizationServerPath, openidConfigurationPath])
    if (path.startsWith(`${first}/`) && !below.has(path)) return below.get(first)?.served
  for (let at = path.indexOf("/", Math.max(0, path.length - longestBelow(provider))); at >= 0; at = path.indexOf("/", at + 1)) {
    const found = below.get(path.slice(at))
    if (found !== undefined) return found.served
  }
  return undefined
}

/** The endpoints of one issuer. */
export interface Addressed {
  /** The path of the issuer. */
  readonly base: string
  /** Its endpoints by their paths below that. */
  readonly below: ReadonlyMap<string, Reached>
  /** Those that stand before the paths of something else. */
  readonly before: ReadonlyArray<Reached>
}

/** The endpoints of a provider at its issuer. */
export const addressed = (provider: Composition, issuer: string): Addressed => ({
  base: basePathOf(issuer),
  below: reachedBelow(provider),
  before: beforePaths(provider),
})

/**
 * Finds the endpoint of a path, exactly: nothing is folded or trimmed. Where the issuer has a path, its documents are found with the well-known part before it too: the
 * one of RFC 8414 §3.1 there alone, the one of OpenID Connect Discovery there as well (RFC 8414 §5).
 */
export const reach = ({ base, below, before }: Addressed, path: string): Reached | undefined => {
  if (base === "") return below.get(path) ?? reachedBefore(before, path)
  const first = reachedBefore(before, path)
  if (first !== undefined) return first
  if (path.startsWith(base)) {
    const rest = path.slice(base.length)
    return rest === authorizationServerPath ? undefined : below.get(rest)
  }
  if (!path.endsWith(base)) return undefined
  const inserted = path.slice(0, -base.length)
  return inserted === authorizationServerPath || inserted === openidConfigurationPath ? below.get(inserted) : undefined
}
