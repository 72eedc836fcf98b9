import { type JwkSet, isJsonObject, peerAlgorithms } from "@postern/core/model"
import { OutwardRefused, type UpstreamKeysAsked, type UpstreamLogoutKeys } from "@postern/core/ports"
import type { Discovered } from "./provider.ts"

/** For how long a key set is good, in milliseconds. */
const keysLife = 300_000

/** For how long a set is not fetched again, in milliseconds: neither tokens that name made-up keys nor a provider that is down may cost fetches. */
const pause = 30_000

/** The longest we wait for a set, in milliseconds. */
const patience = 5000

/** Most keys that a set may have. */
const mostKeys = 100

/** Reads a key set. Throws for a text that holds none. */
export const readKeySet = (text: string): JwkSet => {
  const set: unknown = JSON.parse(text)
  const keys = isJsonObject(set) ? set["keys"] : undefined
  if (!Array.isArray(keys) || keys.length > mostKeys) throw new TypeError("jwks_uri holds no key set")
  return { keys: keys.filter(isJsonObject) }
}

/** The algorithms by which a provider may sign: those it announces that its keys are public for, and RS256 where it announces none (OpenID Connect Core §3.1.3.7). */
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

/** The keys of a provider, as they were fetched last, and the last attempt to fetch them. */
interface Known {
  /** Undefined where no attempt succeeded. */
  readonly keys: JwkSet | undefined
  /** Until when they need not be fetched again; this time and the next by a clock that only goes on. */
  readonly goodUntil: number
  readonly attempt: Promise<JwkSet>
  readonly triedAt: number
}

/**
 * Keeps the keys that other providers sign their logout tokens with. Where they cannot be fetched again the last ones stay; where there are none, or these lack a key,
 * it rejects, without another attempt for a while.
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
      // Whoever waits for the attempt is told.
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
    // The key may be published by now: the token is not refused for good before anybody looked.
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
