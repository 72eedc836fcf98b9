import type { JsonObject, JwkSet, Seconds, Secret } from "@postern/core/model"
import type { Awaitable, JwtsPort } from "@postern/core/ports"
import { type MemberKinds, memberFaults, proofAlgorithms } from "@postern/core/verify"
import type { IntrospectionOptions } from "./introspection.ts"
import { type Fetch, isSafeUrl } from "./remote.ts"
import type { Binding } from "./rules.ts"
import type { ProofUses } from "./uses.ts"
import type { Verdict } from "./verdict.ts"

/** Settings of DPoP proofs (RFC 9449). */
export interface DpopOptions {
  /** Seconds for which a proof is taken after it was made, from 5 to 300; 60 when not given. */
  readonly lifetime?: Seconds | undefined
  /** The algorithms of proofs; every asymmetric one when not given. FAPI 2.0 wants `ES256`, `PS256` and `EdDSA`. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /**
   * Demands a nonce in every proof (RFC 9449 §9): a secret of 32 characters or more, the same for all processes that serve the resource, and no other
   * server's. No nonce is demanded when not given.
   */
  readonly nonceKey?: string | Secret | undefined
  /** The uses of proofs; those of this process when not given. Processes that serve one resource must share theirs. */
  readonly uses?: ProofUses | undefined
}

/** Settings of a resource server: `issuer` and `resource` are enough. */
export interface ResourceServerOptions {
  /** The issuer of the tokens, byte for byte. Its keys and endpoints are found in its metadata. */
  readonly issuer: string
  /** The identifier of the resource: tokens must name it in `aud`. As an https URL it also has metadata (RFC 9728). */
  readonly resource: string
  /** Further identifiers that `aud` may name in its place. */
  readonly audiences?: ReadonlyArray<string> | undefined
  /**
   * The public URL below which clients ask, without what requests still show in their path here: its origin, and the path that a proxy takes off. The origin of
   * `resource` when not given. Several, where it is reached at several hosts. DPoP proofs are compared with them, never with `Host`.
   */
  readonly url?: string | ReadonlyArray<string> | undefined
  /** The scopes that the resource knows, for its metadata. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The algorithms of JWTs; every asymmetric one when not given. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /** The place of the issuer's keys; found in its metadata when not given. */
  readonly jwksUri?: string | undefined
  /** The issuer's keys themselves, or a function that knows them: nothing is fetched then. */
  readonly keys?: JwkSet | (() => Awaitable<JwkSet>) | undefined
  /** Asks the issuer about tokens that are not JWTs, or about all of them. No issuer is asked when not given. */
  readonly introspection?: IntrospectionOptions | undefined
  /** Demands tokens that are bound: to a key (`dpop`), to a certificate, or to either (`any`). Bearer tokens are taken too when not given. */
  readonly bound?: Binding | undefined
  /** Settings of DPoP; false takes no token by the scheme `DPoP`. */
  readonly dpop?: DpopOptions | false | undefined
  /** Further members of the metadata, such as `resource_name` and `resource_documentation` (RFC 9728 §2). */
  readonly metadata?: JsonObject | undefined
  /** Fetches keys, metadata and introspections; the global `fetch` when not given. */
  readonly fetch?: Fetch | undefined
  /** Verifies signatures; jose over WebCrypto when not given. */
  readonly jwts?: Pick<JwtsPort, "verify"> | undefined
  /** Milliseconds since 1970; the system's when not given. */
  readonly clock?: (() => number) | undefined
  /** Told of each verdict. It must not block; a throw is dropped. */
  readonly noted?: ((verdict: Verdict) => void) | undefined
}

/** The shortest key of nonces, in characters. */
const shortestKey = 32

/** Opens a secret that may stand as a text. */
export const opened = (secret: string | Secret | undefined): string | undefined => (typeof secret === "object" ? secret.reveal() : secret)

const listed = (url: ResourceServerOptions["url"]): ReadonlyArray<string> =>
  url === undefined ? [] : typeof url === "string" ? [url] : url

/** The public URLs of a resource server, without a slash at their end. */
export const basesOf = ({ resource, url }: Pick<ResourceServerOptions, "resource" | "url">): ReadonlyArray<string> => {
  const urls = listed(url)
  return urls.length === 0 ? [new URL(resource).origin] : urls.map((each) => each.replace(/\/$/, ""))
}

/** Reports whether a resource has a place for its metadata (RFC 9728 §3). */
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
 * Every fault of the settings, in words: first of their names and kinds, then of their values. A setting that is misspelled would leave its default in force: bearer
 * tokens taken, the uses of proofs not shared.
 */
export const faultsOf = (options: ResourceServerOptions): ReadonlyArray<string> => {
  const { introspection, dpop } = options
  const unfit = [
    ...memberFaults(options, kinds),
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
