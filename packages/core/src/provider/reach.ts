import type { Composition } from "../features/feature.ts"
import { authorizationServerPath, openidConfigurationPath } from "../features/discovery/index.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import { basePathOf } from "../wire/index.ts"
import { endpointsOf, onceFor } from "./composition.ts"
import { corsOf } from "./cors.ts"
import type { Header } from "./headers.ts"

/** An endpoint, as the server around a provider sees it. */
export interface ServedEndpoint {
  /** Its name in trails and audit events. */
  readonly name: string
  /** The path below the issuer's path under which metrics count it. */
  readonly countedAs: string
  /** The audience of its answers: people get a page, programs get JSON. */
  readonly audience: "people" | "programs"
  /** The headers of each of its answers, also of one that the server gives in its place: those that let scripts of other origins read it (Fetch §3.2). */
  readonly headers: ReadonlyArray<Header>
}

/** An endpoint, with its description for the server around a provider. */
export interface Reached {
  readonly endpoint: Endpoint
  readonly served: ServedEndpoint
}

/** Returns the endpoints of a composition by their paths below the issuer's path. */
const reachedBelow = onceFor(
  (provider): ReadonlyMap<string, Reached> =>
    new Map(
      endpointsOf(provider).map((endpoint) => {
        const { name, path, countedAs = path, audience, cors } = endpoint
        const headers = cors ? corsOf(provider).answer : []
        return [path, { endpoint, served: { name, countedAs, audience, headers } }]
      }),
    ),
)

/** Returns the endpoints whose path may be followed by the path of another resource. */
const beforePaths = onceFor((provider): ReadonlyArray<Reached> =>
  endpointsOf(provider).flatMap(({ path, isBeforePaths }) => (isBeforePaths === true ? (reachedBelow(provider).get(path) ?? []) : [])),
)

/** Finds the endpoint whose path precedes that of another resource, at the root of the host, regardless of the issuer's path. */
const reachedBefore = (before: ReadonlyArray<Reached>, path: string): Reached | undefined =>
  path.startsWith("/.well-known/")
    ? before.find(({ endpoint: { path: first } }) => path === first || path.startsWith(`${first}/`))
    : undefined

/** Returns the length of the longest endpoint path. Longer suffixes of a path need not be checked. */
const longestBelow = onceFor((provider): number => Math.max(...[...reachedBelow(provider).keys()].map(({ length }) => length)))

/**
 * Finds the endpoint with the longest path that is a suffix of a path, for any issuer. It takes time in proportion to the length of the
 * path.
 */
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
  /** Its endpoints, by their paths below that. */
  readonly below: ReadonlyMap<string, Reached>
  /** Its endpoints whose paths precede those of other resources. */
  readonly before: ReadonlyArray<Reached>
}

/** Returns the endpoints of a provider at its issuer. */
export const addressed = (provider: Composition, issuer: string): Addressed => ({
  base: basePathOf(issuer),
  below: reachedBelow(provider),
  before: beforePaths(provider),
})

/**
 * Finds the endpoint with exactly this path, without any normalization. If the issuer has a path, its documents are also found with the
 * well-known part in front of it: the one of RFC 8414 §3.1 only there, the one of OpenID Connect Discovery at both places (RFC 8414 §5).
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
