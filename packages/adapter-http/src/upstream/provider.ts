import * as client from "openid-client"
import type { Breaker } from "../outbound/breaker.ts"
import { type ClaimMapping, type VouchingClaim, trustedMapping, usualMapping } from "./claims.ts"

/** A key to sign client assertions with: a private JWK, with its `alg` (RFC 7523 §2.2). */
export interface PrivateJwk extends JsonWebKey {
  /** The id of the key, as the provider knows it. */
  readonly kid?: string
}

/** Client authentication at another provider (OpenID Connect Core §9). */
export type UpstreamAuthentication =
  | {
      /** The method we authenticate to it by (RFC 7591 §2). */ readonly method: "client_secret_basic" | "client_secret_post"
      /** The secret we share with it. */ readonly secret: string
    }
  | {
      /** The method we authenticate to it by (RFC 7591 §2). */ readonly method: "private_key_jwt"
      /** The key we sign with. */ readonly key: PrivateJwk
    }
  | { /** The method we authenticate to it by (RFC 7591 §2). */ readonly method: "none" }

/** Another OpenID Provider, and how we are registered with it. */
export interface UpstreamProvider {
  /** As `acr_values=idp:NAME` and the callback's path name it. */
  readonly name: string
  /** The issuer identifier of the provider. */
  readonly issuer: string
  /** The `client_id` we have there. */
  readonly clientId: string
  /** The way we authenticate there. */
  readonly authentication: UpstreamAuthentication
  /** `openid profile email` when not given. */
  readonly scopes?: ReadonlyArray<string>
  /** The standard claims as they are when not given. */
  readonly claims?: ClaimMapping
  /** The claims among `email_verified` and `phone_number_verified` that it is believed in; none when not given. */
  readonly trustedClaims?: ReadonlyArray<VouchingClaim>
  /**
   * Its authentication contexts by ours: what is asked of us is asked of it by its own names, and what it reports is ours again. One of its contexts that is not here
   * counts as none. Its own as they are when not given.
   */
  readonly acrValues?: Readonly<Record<string, string>>
  /** True if it takes passwords from us, by the password grant. */
  readonly passwordGrant?: boolean
}

/** A provider as it was found. */
export interface Discovered {
  /** The configuration that was discovered. */
  readonly configuration: client.Configuration
  /** The provider as it is configured. */
  readonly provider: UpstreamProvider
  /** The scopes to ask for. */
  readonly scope: string
  /** The claims to take over. */
  readonly claims: ClaimMapping
  /** Fetches from it, within bounds. */
  readonly fetch: client.CustomFetch
}

/** For how long a discovery document is good, in milliseconds. */
const discoveryLife = 3_600_000

/** The longest we wait for one answer of a provider, in seconds. */
const patience = 5

/** The largest answer that is read, in bytes. */
const largest = 262_144

const isLoopback = (hostname: string): boolean => hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * Fetches from a provider: over https, without following redirects, so much and no more. Only a provider that is on this machine itself
 * is reached over http, and may name addresses of this machine.
 */
const boundedFor =
  (issuer: string, broken: Breaker): client.CustomFetch =>
  async (url, options) => {
    const { protocol, hostname, host } = new URL(url)
    const local = isLoopback(new URL(issuer).hostname)
    if (protocol !== "https:" && !(local && isLoopback(hostname))) throw new TypeError("a provider is reached over https only")
    if (isLoopback(hostname) && !local) throw new TypeError("a provider that is elsewhere names an address of this machine")
    // The library's body is one of fetch's own; its type is wider than lib.dom's.
    return broken.call(host, () => boundedFetch(url, { ...options, redirect: "manual" } as RequestInit))
  }

const boundedFetch = async (url: string, options: RequestInit): Promise<Response> => {
  const response = await fetch(url, options)
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > largest) throw new TypeError(`the answer of ${new URL(url).hostname} is longer than ${largest} bytes`)
    parts.push(part)
  }
  const { status, headers } = response
  return new Response(length === 0 ? null : new Blob(parts), { status, headers })
}

/** Web Crypto's names of the algorithms that client assertions may be signed with. */
const algorithms: Readonly<Record<string, RsaHashedImportParams | EcKeyImportParams | Algorithm>> = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  EdDSA: { name: "Ed25519" },
}

const clientAuth = async (authentication: UpstreamAuthentication): Promise<client.ClientAuth> => {
  switch (authentication.method) {
    case "client_secret_basic":
      return client.ClientSecretBasic(authentication.secret)
    case "client_secret_post":
      return client.ClientSecretPost(authentication.secret)
    case "private_key_jwt": {
      // Web Crypto would hold the key to its own `use` and `key_ops`, and knows EdDSA by another name.
      const { kid, alg = "", use: _use, key_ops: _operations, ...jwk } = authentication.key
      const algorithm = algorithms[alg]
      if (algorithm === undefined) throw new TypeError(`a client key has an alg of ${Object.keys(algorithms).join(", ")}`)
      const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"])
      return client.PrivateKeyJwt(kid === undefined ? key : { key, kid })
    }
    case "none":
      return client.None()
  }
}

const discover = async (provider: UpstreamProvider, broken: Breaker): Promise<Discovered> => {
  const { issuer, clientId, authentication, scopes, claims = usualMapping, trustedClaims = [] } = provider
  const bounded = boundedFor(issuer, broken)
  const configuration = await client.discovery(new URL(issuer), clientId, {}, await clientAuth(authentication), {
    timeout: patience,
    // The library's own check knows no loopback: `boundedFor` makes it.
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    [client.customFetch]: bounded,
  })
  return {
    configuration,
    provider,
    scope: (scopes ?? ["openid", "profile", "email"]).join(" "),
    claims: trustedMapping(claims, trustedClaims),
    fetch: bounded,
  }
}

/** Providers by name, discovered when they are first needed and again when that is long ago. */
export interface Providers {
  /** Rejects when the provider cannot be reached, or there is none of this name. */
  readonly find: (name: string) => Promise<Discovered>
  /** Discovers it again next time: its known metadata does not work. */
  readonly forget: (name: string) => void
}

/** Keeps what is known of providers. */
export const providersOf = (configured: ReadonlyArray<UpstreamProvider>, broken: Breaker): Providers => {
  const byName = new Map(configured.map((provider) => [provider.name, provider]))
  const known = new Map<string, { readonly found: Promise<Discovered>; readonly until: number }>()
  return {
    find: async (name) => {
      const before = known.get(name)
      if (before !== undefined && Date.now() < before.until) return before.found
      const provider = byName.get(name)
      if (provider === undefined) throw new Error(`there is no provider ${name}`)
      const found = discover(provider, broken)
      known.set(name, { found, until: Date.now() + discoveryLife })
      found.catch(() => known.delete(name))
      return found
    },
    forget: (name) => void known.delete(name),
  }
}
