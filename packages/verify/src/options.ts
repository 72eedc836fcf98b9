import type { JsonObject, JwkSet, Seconds, Secret } from "@postern/core/model"
import type { Awaitable, JwtsPort } from "@postern/core/ports"
import { type MemberKinds, memberFaults } from "@postern/core/options"
import { proofAlgorithms } from "@postern/core/verify"
import type { IntrospectionOptions } from "./introspection.ts"
import { type Fetch, isSafeUrl } from "./remote.ts"
import type { Binding } from "./rules.ts"
import type { ProofUses } from "./uses.ts"
import type { Verdict } from "./verdict.ts"

/** Options for DPoP proofs (RFC 9449). */
export interface DpopOptions {
  /** Seconds for which a proof is accepted after its creation, from 5 to 300. Default: 60. */
  readonly lifetime?: Seconds | undefined
  /** The accepted algorithms of proofs. Default: every asymmetric one. FAPI 2.0 requires `ES256`, `PS256` and `EdDSA`. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /**
   * The key of nonces, which are then required in every proof (RFC 9449 §9). It is a secret of 32 characters or more, shared by all
   * processes that serve the resource and by no other server. By default, no nonce is required.
   */
  readonly nonceKey?: string | Secret | undefined
  /** Stores the uses of proofs. Default: the memory of this process. Processes that serve the same resource must share one store. */
  readonly uses?: ProofUses | undefined
}

/** Options for a resource server. Only `issuer` and `resource` are required. */
export interface ResourceServerOptions {
  /** The issuer of the tokens, compared byte for byte. Its keys and endpoints are read from its metadata. */
  readonly issuer: string
  /** The identifier of the resource, which tokens must name in `aud`. If it is an https URL, the resource also has metadata (RFC 9728). */
  readonly resource: string
  /** Other identifiers that `aud` may contain instead. */
  readonly audiences?: ReadonlyArray<string> | undefined
  /**
   * The public base URL of requests: the origin, and any path that a proxy removes. Give several if the resource is reached at several
   * hosts. Default: the origin of `resource`. DPoP proofs are compared with these URLs, never with `Host`.
   */
  readonly url?: string | ReadonlyArray<string> | undefined
  /** The scopes of the resource, for its metadata. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The accepted algorithms of JWTs. Default: every asymmetric one. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /** The URL of the issuer's keys. By default, the one in its metadata. */
  readonly jwksUri?: string | undefined
  /** The issuer's keys, or a function that returns them. No keys are fetched then. */
  readonly keys?: JwkSet | (() => Awaitable<JwkSet>) | undefined
  /** Introspects tokens that are not JWTs, or all tokens. By default, no token is introspected. */
  readonly introspection?: IntrospectionOptions | undefined
  /**
   * Requires tokens to be bound to a key (`dpop`), to a certificate (`certificate`), or to either (`any`). By default, bearer tokens are
   * accepted too. With `certificate`, the scheme `DPoP` is refused.
   */
  readonly bound?: Binding | undefined
  /** Options for DPoP. If false, the scheme `DPoP` is refused. */
  readonly dpop?: DpopOptions | false | undefined
  /** Additional members of the metadata, such as `resource_name` and `resource_documentation` (RFC 9728 §2). */
  readonly metadata?: JsonObject | undefined
  /** Fetches keys and metadata and sends introspection requests. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Verifies signatures. Default: jose over WebCrypto. */
  readonly jwts?: Pick<JwtsPort, "verify"> | undefined
  /** Milliseconds since 1970. Default: the system clock. */
  readonly clock?: (() => number) | undefined
  /** Called with each verdict. It must not block. Exceptions are ignored. */
  readonly noted?: ((verdict: Verdict) => void) | undefined
}

/** The minimum length of the nonce key, in characters. */
const shortestKey = 32

/** Returns the text of a secret, which may already be a string. */
export const opened = (secret: string | Secret | undefined): string | undefined => (typeof secret === "object" ? secret.reveal() : secret)

const listed = (url: ResourceServerOptions["url"]): ReadonlyArray<string> =>
  url === undefined ? [] : typeof url === "string" ? [url] : url

/** The public base URLs of a resource server, without a trailing slash. */
export const basesOf = ({ resource, url }: Pick<ResourceServerOptions, "resource" | "url">): ReadonlyArray<string> => {
  const urls = listed(url)
  return urls.length === 0 ? [new URL(resource).origin] : urls.map((each) => each.replace(/\/$/, ""))
}

/** The options for DPoP. Undefined for a resource that accepts no proof, because no proof shows a certificate. */
export const dpopOf = ({ dpop, bound }: Pick<ResourceServerOptions, "dpop" | "bound">): DpopOptions | undefined =>
  dpop === false || bound === "certificate" ? undefined : (dpop ?? {})

/** Reports whether a resource can have metadata (RFC 9728 §3). */
export const hasMetadata = ({ resource }: Pick<ResourceServerOptions, "resource">): boolean =>
  isSafeUrl(resource) && !resource.includes("#")

const kinds: MemberKinds<ResourceServerOptions> = {
  issuer: "text",
  resource: "text",
  audiences: "texts?",
  scopes: "texts?",
  algorithms: "texts?",
  url: "own?",
  jwksUri: "own?",
  keys: "own?",
  bound: "own?",
  dpop: "own?",
  introspection: "object?",
  metadata: "object?",
  jwts: "object?",
  fetch: "function?",
  clock: "function?",
  noted: "function?",
}

const introspectionKinds: MemberKinds<IntrospectionOptions> = {
  clientId: "text",
  clientSecret: "own?",
  endpoint: "own?",
  authenticate: "function?",
  always: "boolean?",
  signed: "boolean?",
  cacheSeconds: "number?",
  cacheEntries: "number?",
}

const dpopKinds: MemberKinds<DpopOptions> = { algorithms: "texts?", lifetime: "own?", nonceKey: "own?", uses: "object?" }

/**
 * Lists every fault of the options: first wrong names and types, and if there are none, wrong values. A misspelled option must not silently
 * leave its default in force, such as accepting bearer tokens or not sharing the uses of proofs.
 */
export const faultsOf = (options: ResourceServerOptions): ReadonlyArray<string> => {
  const wrong = memberFaults(options, kinds)
  if (wrong.length > 0) return wrong
  const { introspection, dpop } = options
  const unfit = [
    ...(introspection ? memberFaults(introspection, introspectionKinds, "introspection.") : []),
    ...(dpop ? memberFaults(dpop, dpopKinds, "dpop.") : []),
  ]
  return unfit.length > 0 ? unfit : valueFaults(options)
}

const bindings: ReadonlyArray<Binding | undefined> = [undefined, "any", "dpop", "certificate"]

const valueFaults = (options: ResourceServerOptions): ReadonlyArray<string> => {
  const { issuer, resource, url, dpop, introspection, algorithms, jwksUri, bound } = options
  const { lifetime = 60, algorithms: proofs = [], nonceKey } = dpop === false ? {} : (dpop ?? {})
  const key = opened(nonceKey)
  const weak = [...(algorithms ?? []), ...proofs].filter((alg) => !(proofAlgorithms as ReadonlyArray<string>).includes(alg))
  return [
    ...(isSafeUrl(issuer) && !/[?#]/.test(issuer) ? [] : ["issuer: must be an https URL without query and fragment"]),
    ...(URL.canParse(resource) && !resource.includes("#") ? [] : ["resource: must be a URI without fragment"]),
    ...(listed(url).length === 0 && !isSafeUrl(resource) ? ["url: must be given, since resource is no https URL"] : []),
    ...(listed(url).every((each) => isSafeUrl(each) && !/[?#]/.test(each)) ? [] : ["url: must be https URLs without query and fragment"]),
    ...(jwksUri === undefined || isSafeUrl(jwksUri) ? [] : ["jwksUri: must be an https URL"]),
    ...(introspection?.endpoint === undefined || isSafeUrl(introspection.endpoint) ? [] : ["introspection.endpoint: must be an https URL"]),
    ...(weak.length === 0 ? [] : [`algorithms: ${weak.join(", ")} is no asymmetric algorithm that is known`]),
    ...(Number.isInteger(lifetime) && lifetime >= 5 && lifetime <= 300 ? [] : ["dpop.lifetime: must be from 5 to 300 seconds"]),
    ...(key === undefined || key.length >= shortestKey ? [] : [`dpop.nonceKey: must have ${shortestKey} characters or more`]),
    ...(bindings.includes(bound) ? [] : ["bound: must be any, dpop or certificate"]),
    ...(bound === "dpop" && dpop === false ? ["bound: no token can be bound to a key where dpop is false"] : []),
  ]
}
