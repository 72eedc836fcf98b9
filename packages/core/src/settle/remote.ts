import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type Instant, type JwkSet, type KeySource, type Seconds, isJsonObject, parseJsonObject } from "../model/index.ts"
import { type JwtVerdict, type PortFailed, type Ports, hostOf } from "../ports/index.ts"
import { onward, steps } from "../ports/steps.ts"
import { freshnessOf } from "../wire/index.ts"
import { type FetchedDocument, type Fetches, fetchesOf } from "./documents.ts"
import type { Inquiry } from "./inquiry.ts"

/** The state and ports for fetching documents of other parties. */
export type Fetching = Pick<Inquiry, "remote" | "now"> & { readonly ports: Pick<Ports, "outbound" | "outward"> }

/** The maximum number of cached documents; each is at most 64 KiB. */
const most = 200

/** The time for which a key set is fresh. */
const keysLife: Seconds = 300

/**
 * The time for which a failure is cached, and for which a set is not fetched again because of a missing key, so that forged tokens cause no
 * fetches.
 */
const pause: Seconds = 10

/** The seconds for which a document is reused, within which its server's headers count. */
export interface Life {
  readonly most: Seconds
  /** The time for which it is reused whatever its server says; `pause` if not given, so that no server is flooded. */
  readonly least?: Seconds
  /** The time for which it stands in for one that cannot be fetched, if its server calls it fresh for as long; `most` if not given. */
  readonly standing?: Seconds
}

const isWhole = ({ answer }: FetchedDocument): boolean => answer._tag === "Fetched" && answer.status === 200

/** Returns the seconds for which a document is reused, by its own headers within `life` (RFC 9111 §4.2); a failure, for a pause. */
const reuseOf = ({ answer }: FetchedDocument, life: Life): Seconds => {
  if (answer._tag !== "Fetched" || answer.status !== 200) return Math.min(pause, life.most)
  const { isUnkept, seconds = life.most } = freshnessOf(answer.caching)
  return Math.min(life.most, Math.max(life.least ?? pause, isUnkept ? 0 : seconds))
}

/** Reports whether a document need not be fetched, because it is fresh or an attempt to replace it has just failed. */
const isGood = (document: FetchedDocument, now: number, life: Life): boolean =>
  now >= document.at &&
  (now < document.at + reuseOf(document, life) ||
    (document.triedAt !== document.at && now >= document.triedAt && now < document.triedAt + Math.min(pause, life.most)))

/**
 * Caches a document, unless it is never reused. A failed fetch does not replace a document that its server still calls fresh, so that
 * neither a temporary fault nor an attacker who provokes one makes the keys unavailable.
 */
const keep = (url: string, fresh: FetchedDocument, { known }: Fetches, now: Instant, life: Life): FetchedDocument => {
  const before = known.get(url)
  const standing = { most: life.standing ?? life.most, least: 0 }
  const stands = before !== undefined && isWhole(before) && !isWhole(fresh) && now < before.at + reuseOf(before, standing)
  const kept = stands ? { ...before, triedAt: now } : fresh
  known.delete(url)
  if (reuseOf(kept, life) > 0) known.set(url, kept)
  for (const oldest of known.keys()) {
    if (known.size <= most) break
    known.delete(oldest)
  }
  return kept
}

const fetchedNow = steps(function* (
  url: string,
  accept: string,
  life: Life,
  { ports, remote, now }: Fetching,
  ofStranger: true | undefined,
) {
  const fetches = fetchesOf(remote, ofStranger)
  const known = fetches.known.get(url)
  if (known !== undefined && isGood(known, now, life)) {
    remote.reused?.(url, known.answer)
    return known
  }
  const joined = fetches.underway.get(url)
  if (joined !== undefined) return yield* ports.outward.wait(hostOf(url), "Outbound", "fetch", () => Deferred.await(joined), ofStranger)
  const shared = yield* Deferred.make<FetchedDocument, PortFailed>()
  fetches.underway.set(url, shared)
  const fetching = Effect.map(ports.outbound.fetch(url, accept, ofStranger && { ofStranger }), (answer) =>
    keep(url, { answer, at: now, triedAt: now, keys: undefined }, fetches, now, life),
  )
  // Others who wait for the fetch must not lose it if the first caller gives up.
  return yield* Effect.uninterruptible(
    Effect.onExit(fetching, (exit) => {
      fetches.underway.delete(url)
      return Deferred.done(shared, exit)
    }),
  )
})

/** Begins a fetch only when the Effect runs, because an Effect that never runs must leave nobody waiting. */
const fetched: typeof fetchedNow = (...asked) => Effect.suspend(() => fetchedNow(...asked))

/**
 * Fetches a document of another party, cached for its `life`; `reason` tells the operator why there is none. `ofStranger` is that of the
 * client's keys.
 */
export const fetchDocument = steps(function* (url: string, accept: string, life: Life, inquiry: Fetching, ofStranger?: true) {
  const { answer } = yield* fetched(url, accept, life, inquiry, ofStranger)
  if (answer._tag === "Unfetched") return { body: undefined, reason: answer.reason }
  return answer.status === 200 ? { body: answer.body, reason: "" } : { body: undefined, reason: `answered with status ${answer.status}` }
})

const readKeys = (body: string): JwkSet | undefined => {
  const keys = parseJsonObject(body)?.["keys"]
  return Array.isArray(keys) && keys.length <= 100 ? { keys: keys.filter(isJsonObject) } : undefined
}

/**
 * Returns another party's keys, inline or fetched; `reason` tells the operator why there are none. `again` fetches them again if they are
 * not fresh.
 */
export const keysOf = steps(function* ({ jwks, jwksUri, ofStranger }: KeySource, again: boolean, inquiry: Fetching) {
  if (jwks !== undefined) return { keys: jwks, reason: "" }
  if (jwksUri === undefined) return { keys: undefined, reason: "neither jwks nor jwks_uri is known" }
  const life: Life = { most: again ? pause : keysLife, standing: keysLife }
  const document = yield* fetched(jwksUri, "application/jwk-set+json, application/json", life, inquiry, ofStranger)
  const { answer } = document
  if (answer._tag === "Unfetched") return { keys: undefined, reason: `jwks_uri: ${answer.reason}` }
  if (answer.status !== 200) return { keys: undefined, reason: `jwks_uri answered with status ${answer.status}` }
  document.keys ??= readKeys(answer.body)
  return document.keys === undefined ? { keys: undefined, reason: "jwks_uri holds no key set" } : { keys: document.keys, reason: "" }
})

/** Verifies a JWT with the keys of its expected issuer. A set without the named key is fetched once more. */
export const verifyBy = (
  jwt: string,
  source: KeySource,
  algorithms: ReadonlyArray<string>,
  inquiry: Inquiry,
): Effect.Effect<JwtVerdict, PortFailed> => {
  const { jwts } = inquiry.ports
  return onward(keysOf(source, false, inquiry), ({ keys, reason }): Effect.Effect<JwtVerdict, PortFailed> => {
    if (keys === undefined) return Effect.succeed({ _tag: "Invalid", reason })
    return onward(jwts.verify(jwt, keys, algorithms), (verdict) =>
      verdict._tag !== "NoKey" || source.jwksUri === undefined
        ? Effect.succeed(verdict)
        : onward(keysOf(source, true, inquiry), (again) =>
            again.keys === undefined || again.keys === keys ? Effect.succeed(verdict) : jwts.verify(jwt, again.keys, algorithms),
          ),
    )
  })
}
