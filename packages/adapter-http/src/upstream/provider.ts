import { kindFault, type MemberKinds, memberFaults } from "@postern/core/options"
import * as client from "openid-client"
import type { Breaker } from "../outbound/breaker.ts"
import { pieces } from "../pieces.ts"
import { type ClaimMapping, type VouchingClaim, trustedMapping, usualMapping } from "./claims.ts"

/** A key for signing client assertions: a private JWK with its `alg` (RFC 7523 §2.2). */
export interface PrivateJwk extends JsonWebKey {
  /** The key ID that the provider knows. */
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

/** Another OpenID Provider, and our registration with it. */
export interface UpstreamProvider {
  /** The name in `acr_values=idp:NAME` and in the callback's path. */
  readonly name: string
  /** The issuer identifier of the provider. */
  readonly issuer: string
  /** Our `client_id` at the provider. */
  readonly clientId: string
  /** Our client authentication at the provider. */
  readonly authentication: UpstreamAuthentication
  /** Default: `openid profile email`. */
  readonly scopes?: ReadonlyArray<string>
  /** Default: the standard claims unchanged. */
  readonly claims?: ClaimMapping
  /** The claims among `email_verified` and `phone_number_verified` that the provider is trusted for. Default: none. */
  readonly trustedClaims?: ReadonlyArray<VouchingClaim>
  /**
   * A mapping from our authentication contexts to the provider's. Requested contexts are translated to its names, and reported ones back to
   * ours. A reported context that is not mapped is ignored. Default: its contexts unchanged.
   */
  readonly acrValues?: Readonly<Record<string, string>>
  /** True if it accepts passwords from us, by the password grant. */
  readonly passwordGrant?: boolean
}

const kinds: MemberKinds<UpstreamProvider> = {
  name: "text",
  issuer: "text",
  clientId: "text",
  authentication: "object",
  scopes: "texts?",
  claims: "object?",
  trustedClaims: "texts?",
  acrValues: "object?",
  passwordGrant: "boolean?",
}

/** The credential of each way in which we authenticate to a provider. */
const credentials = {
  client_secret_basic: { secret: "text" },
  client_secret_post: { secret: "text" },
  private_key_jwt: { key: "object" },
  none: {},
} as const

/** Returns the faults of providers, as text. */
export const configuredFaults = (configured: ReadonlyArray<UpstreamProvider>): ReadonlyArray<string> => {
  const fault = kindFault("configured", configured, "objects")
  if (fault !== undefined) return [fault]
  return configured.flatMap((each, at) => {
    const faults = memberFaults(each, kinds, `configured[${at}].`)
    if (faults.length > 0) return faults
    const { method } = each.authentication
    return Object.hasOwn(credentials, method)
      ? memberFaults(each.authentication, { method: "text", ...credentials[method] }, `configured[${at}].authentication.`)
      : [`configured[${at}].authentication.method: must be one of ${Object.keys(credentials).join(", ")}`]
  })
}

/** A discovered provider. */
export interface Discovered {
  /** The discovered configuration. */
  readonly configuration: client.Configuration
  /** The provider's configured settings. */
  readonly provider: UpstreamProvider
  /** The scopes to request. */
  readonly scope: string
  /** The claims to map. */
  readonly claims: ClaimMapping
  /** Fetches from the provider, within limits. */
  readonly fetch: client.CustomFetch
}

/** The lifetime of a discovery document, in milliseconds. */
const discoveryLife = 3_600_000

/** The timeout for one answer of a provider, in seconds. */
const patience = 5

/** The maximum size of an answer, in bytes. */
const largest = 262_144

const isLoopback = (hostname: string): boolean => hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * Fetches from a provider over https, without following redirects, and with a maximum answer size. Only a provider on this machine itself
 * is reached over http and may refer to local addresses.
 */
const boundedFor =
  (issuer: string, broken: Breaker): client.CustomFetch =>
  async (url, options) => {
    const { protocol, hostname, host } = new URL(url)
    const local = isLoopback(new URL(issuer).hostname)
    if (protocol !== "https:" && !(local && isLoopback(hostname))) throw new TypeError("a provider is reached over https only")
    if (isLoopback(hostname) && !local) throw new TypeError("a provider that is elsewhere names an address of this machine")
    // openid-client's type of the body is wider than that of lib.dom.
    return broken.call(host, () => boundedFetch(url, { ...options, redirect: "manual" } as RequestInit))
  }

const boundedFetch = async (url: string, options: RequestInit): Promise<Response> => {
  const response = await fetch(url, options)
  const body = pieces()
  for await (const piece of response.body ?? []) {
    if (body.length() + piece.byteLength > largest)
      throw new TypeError(`the answer of ${new URL(url).hostname} is longer than ${largest} bytes`)
    body.add(piece)
  }
  const { status, headers } = response
  return new Response(body.length() === 0 ? null : new Uint8Array(body.whole()), { status, headers })
}

/** Web Crypto's names of the algorithms for client assertions. */
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
      // Web Crypto would enforce the key's own `use` and `key_ops`, and it uses a different name for EdDSA.
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
    // The library's own https check has no exception for loopback, so `boundedFor` makes the check.
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

/** Providers by name. They are discovered on first use and again once that is outdated. */
export interface Providers {
  /** Returns the provider; rejects if it cannot be reached or the name is unknown. */
  readonly find: (name: string) => Promise<Discovered>
  /** Discards a provider's metadata, which no longer works, so that it is discovered again next time. */
  readonly forget: (name: string) => void
}

/** Caches discovered providers, for an hour by a monotonic clock: one that is set back would keep their metadata for longer. */
export const providersOf = (
  configured: ReadonlyArray<UpstreamProvider>,
  broken: Breaker,
  clock: () => number = () => performance.now(),
): Providers => {
  const byName = new Map(configured.map((provider) => [provider.name, provider]))
  const known = new Map<string, { readonly found: Promise<Discovered>; readonly until: number }>()
  return {
    find: async (name) => {
      const before = known.get(name)
      if (before !== undefined && clock() < before.until) return before.found
      const provider = byName.get(name)
      if (provider === undefined) throw new Error(`there is no provider ${name}`)
      const found = discover(provider, broken)
      known.set(name, { found, until: clock() + discoveryLife })
      // A later attempt may have taken its place.
      found.catch(() => known.get(name)?.found === found && known.delete(name))
      return found
    },
    forget: (name) => void known.delete(name),
  }
}
