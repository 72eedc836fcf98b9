import { type JwkSet, isJsonObject, peerAlgorithms } from "@postern/core/model"
import { OutwardRefused, type UpstreamKeysAsked, type UpstreamLogoutKeys } from "@postern/core/ports"
import type { Discovered } from "./provider.ts"

/** The lifetime of a key set, in milliseconds. */
const keysLife = 300_000

/**
 * The minimum interval between fetches of a set, in milliseconds, so that neither tokens with invented key IDs nor an unavailable provider
 * cause repeated fetches.
 */
const pause = 30_000

/** The timeout for fetching a set, in milliseconds. */
const patience = 5000

/** The maximum number of keys in a set. */
const mostKeys = 100

/** Parses a key set. Throws if the text is not one. */
export const readKeySet = (text: string): JwkSet => {
  const set: unknown = JSON.parse(text)
  const keys = isJsonObject(set) ? set["keys"] : undefined
  if (!Array.isArray(keys) || keys.length > mostKeys) throw new TypeError("jwks_uri holds no key set")
  return { keys: keys.filter(isJsonObject) }
}

/**
 * Returns the allowed signing algorithms: the asymmetric ones that a provider announces, or RS256 if it announces none (OpenID Connect Core
 * §3.1.3.7).
 */
const algorithmsOf = (announced: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  announced === undefined ? ["RS256"] : peerAlgorithms.filter((alg) => announced.includes(alg))

const fetched = async ({ configuration, fetch }: Discovered): Promise<JwkSet> => {
  const { jwks_uri: uri } = configuration.serverMetadata()
  if (uri === undefined) throw new TypeError("its metadata names no jwks_uri")
  const response = await fetch(uri, {
    method: "GET",
    headers: { accept: "application/jwk-set+json, application/json" },
    body: undefined,
    redirect: "manual",
    signal: AbortSignal.timeout(patience),
  })
  if (response.status !== 200) throw new TypeError(`jwks_uri answered with status ${response.status}`)
  return readKeySet(await response.text())
}

/** The keys of a provider from the last successful fetch, and the last attempt. */
interface Known {
  /** Undefined if no attempt has succeeded. */
  readonly keys: JwkSet | undefined
  /** The time until which the keys are fresh. This and `triedAt` are by a monotonic clock. */
  readonly goodUntil: number
  readonly attempt: Promise<JwkSet>
  readonly triedAt: number
}

/**
 * Caches the keys with which other providers sign their logout tokens. If a refresh fails, the previous keys stay in use. If there are
 * none, or they lack the key, it rejects, and no new attempt is made for a while.
 */
export const logoutKeysOf = (
  find: (name: string) => Promise<Discovered>,
  clock: () => number = () => performance.now(),
): ((asked: UpstreamKeysAsked) => Promise<UpstreamLogoutKeys>) => {
  const known = new Map<string, Known>()
  const attempted = (name: string, found: Discovered, before: Known | undefined, triedAt: number): Known => {
    const attempt = fetched(found)
    const trying = { keys: before?.keys, goodUntil: before?.goodUntil ?? triedAt, attempt, triedAt }
    known.set(name, trying)
    attempt.then(
      (set) => known.set(name, { keys: set, goodUntil: triedAt + keysLife, attempt, triedAt }),
      // Callers that await the attempt receive its error.
      () => undefined,
    )
    return trying
  }
  const keysOf = async (name: string, found: Discovered, lacking: JwkSet | undefined): Promise<JwkSet> => {
    const now = clock()
    const before = known.get(name)
    const keys = before?.keys
    if (keys !== undefined && (lacking === undefined ? now < (before?.goodUntil ?? 0) : keys !== lacking)) return keys
    const { attempt, triedAt } = before !== undefined && now - before.triedAt < pause ? before : attempted(name, found, before, now)
    const set = await attempt.catch((fault: unknown) => {
      if (keys === undefined || lacking !== undefined) throw fault
      return keys
    })
    // The provider may have published the key since the last fetch, so the failure is temporary and the token is not rejected for good.
    if (set === lacking)
      throw new OutwardRefused("its keys were fetched a moment ago", Math.max(1, Math.ceil((triedAt + pause - now) / 1000)))
    return set
  }
  return async ({ provider: name, lacking }) => {
    const found = await find(name)
    const { issuer, id_token_signing_alg_values_supported: announced } = found.configuration.serverMetadata()
    const keys = await keysOf(name, found, lacking)
    return { issuer, clientId: found.provider.clientId, algorithms: algorithmsOf(announced), keys }
  }
}
