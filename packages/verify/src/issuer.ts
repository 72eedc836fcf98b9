import { type JsonObject, type JwkSet, isJsonObject, messageOf } from "@postern/core/model"
import type { Awaitable, JwtVerdict, JwtsPort } from "@postern/core/ports"
import { type Cached, cached } from "./cached.ts"
import { type Fetch, fetchObject, isSafeUrl, timely } from "./remote.ts"

/** The issuer of tokens, as a resource server uses it. */
export interface Issuer {
  /**
   * Verifies a JWT with the issuer's keys. If the key is missing, the set is fetched again once. A string is the reason why there are no
   * keys.
   */
  readonly verify: (jwt: string, algorithms: ReadonlyArray<string>) => Promise<JwtVerdict | string>
  /** Finds an endpoint in the issuer's metadata (RFC 8414 §2). */
  readonly endpoint: (member: string) => Promise<Cached<string>>
}

/** The sources of an issuer's keys. */
export interface IssuerOptions {
  readonly issuer: string
  readonly jwksUri: string | undefined
  readonly keys: JwkSet | (() => Awaitable<JwkSet>) | undefined
  readonly fetch: Fetch
  readonly jwts: Pick<JwtsPort, "verify">
  readonly clock: () => number
}

/**
 * Keys are fetched every five minutes, with at least ten seconds between fetches, and used for another hour if the issuer is unreachable.
 */
const keyTimes = { life: 300, stale: 3_600, pause: 10 } as const

/** Metadata rarely changes except by a deployment. */
const metadataTimes = { life: 3_600, stale: 86_400, pause: 10 } as const

/** The maximum number of keys in a set. */
const mostKeys = 100

/** The URLs of an issuer's metadata, as in RFC 8414 §3.1 and in OpenID Connect Discovery §4. */
const placesOf = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return [`${origin}/.well-known/oauth-authorization-server${path}`, `${origin}${path}/.well-known/openid-configuration`]
}

const metadataOf = async (issuer: string, fetch: Fetch): Promise<JsonObject> => {
  const faults: Array<string> = []
  for (const place of placesOf(issuer)) {
    try {
      const metadata = await fetchObject(fetch, place)
      // Metadata that names another issuer must not be used (RFC 8414 §3.3).
      if (metadata["issuer"] === issuer) return metadata
      faults.push(`${place} is of another issuer`)
    } catch (error) {
      faults.push(messageOf(error))
    }
  }
  throw new Error(faults.join("; "))
}

/** Makes the issuer of a resource server's tokens. Nothing is fetched until a token requires it. */
export const issuerOf = ({ issuer, jwksUri, keys, fetch, jwts, clock }: IssuerOptions): Issuer => {
  const metadata = cached(() => metadataOf(issuer, fetch), metadataTimes, clock)
  const endpoint = async (member: string): Promise<Cached<string>> => {
    const found = await metadata(false)
    if (found.value === undefined) return found
    const value = found.value[member]
    return typeof value === "string" && isSafeUrl(value) ? { value } : { reason: `the metadata of ${issuer} has no ${member}` }
  }
  const fetched = cached(
    async (): Promise<JwkSet> => {
      const found = jwksUri === undefined ? await endpoint("jwks_uri") : { value: jwksUri }
      if (found.value === undefined) throw new Error(found.reason)
      const accept = "application/jwk-set+json, application/json"
      const { keys: listed } = await fetchObject(fetch, found.value, { headers: { accept } })
      if (!Array.isArray(listed) || listed.length > mostKeys) throw new Error(`${found.value} holds no key set of ${mostKeys} keys at most`)
      return { keys: listed.filter(isJsonObject) }
    },
    keyTimes,
    clock,
  )
  const stated = async (): Promise<Cached<JwkSet>> => {
    if (keys === undefined) return fetched(false)
    try {
      const value = typeof keys === "function" ? await timely(keys) : keys
      if (!Array.isArray((value as Partial<JwkSet> | null | undefined)?.keys)) throw new TypeError("they are no key set")
      return { value }
    } catch (error) {
      return { reason: `the keys could not be read: ${messageOf(error)}` }
    }
  }
  return {
    endpoint,
    verify: async (jwt, algorithms) => {
      const first = await stated()
      if (first.value === undefined) return first.reason
      const verdict = await jwts.verify(jwt, first.value, algorithms)
      if (verdict._tag !== "NoKey" || keys !== undefined) return verdict
      // The issuer may have added the key after the set was fetched.
      const second = await fetched(true)
      return second.value === undefined || second.value === first.value ? verdict : jwts.verify(jwt, second.value, algorithms)
    },
  }
}
