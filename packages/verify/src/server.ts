import { type Instant, type JsonObject, peerAlgorithms } from "@postern/core/model"
import { refuseFaults } from "@postern/core/options"
import { proofAlgorithms, tracing } from "@postern/core/verify"
import { webDigest } from "@postern/core/webcrypto"
import type { Answer, Message } from "@postern/core/wire"
import { introspection } from "./introspection.ts"
import { issuerOf } from "./issuer.ts"
import { type Means, type ResourceRequest, verdictOn } from "./judged.ts"
import { joseVerify } from "@postern/core/jose"
import { metadataAnswer, metadataOf, metadataPlace } from "./metadata.ts"
import { type ResourceServerOptions, basesOf, dpopOf, faultsOf, opened } from "./options.ts"
import type { Needs } from "./rules.ts"
import { memoryUses } from "./uses.ts"
import type { Accepted, Verdict } from "./verdict.ts"

/** Verifies the requests to one resource. */
export interface ResourceServer {
  /**
   * Verifies a request to an operation with the given needs. Rejects only in case of a defect. If the request has already passed with the
   * verdict `passed`, only the further needs are checked, because its proof counts once (RFC 9449 §11.1) and a second claim would be
   * refused as a replay.
   */
  readonly verify: (request: ResourceRequest, needs?: Needs, passed?: Accepted) => Promise<Verdict>
  /** The metadata of the resource (RFC 9728 §2). */
  readonly metadata: JsonObject
  /** The path of the metadata, with a query if the resource has one. Undefined for a resource that cannot have metadata. */
  readonly metadataPath: string | undefined
  /** Answers a request for the metadata. Returns undefined for every other request. */
  readonly metadataFor: (request: Pick<Message, "method" | "path" | "query">) => Answer | undefined
}

/** Makes a resource server. Throws for invalid options, with a message that names every fault. */
export const resourceServer = (options: ResourceServerOptions): ResourceServer => resourceServerWithout(new Set(), options)

/** Makes a resource server without some rules, for tests that prove each rule necessary. */
export const resourceServerWithout = (off: ReadonlySet<string>, options: ResourceServerOptions): ResourceServer => {
  refuseFaults("@postern/verify", faultsOf(options))
  const { clock = Date.now, noted } = options
  const means = meansOf(options, off, clock)
  const metadata = metadataOf(options)
  const place = metadataPlace(options)
  return {
    metadata,
    metadataPath: place,
    metadataFor: ({ method, path, query }) =>
      (method === "GET" || method === "HEAD") && place === (query === "" || !place?.includes("?") ? path : `${path}?${query}`)
        ? metadataAnswer(metadata)
        : undefined,
    verify: async (request, needs = {}, passed) => {
      const verdict = await verdictOn({ request, needs, passed }, means, tracing(off), instantOf(clock))
      try {
        noted?.(verdict)
      } catch {
        // A failure of `noted` never fails a request.
      }
      return verdict
    },
  }
}

/** Reads the clock. One that counts seconds would be in January 1970, and every expired token would pass. */
const instantOf = (clock: () => number): Instant => {
  const millis = clock()
  if (!(millis >= 1e11)) throw new TypeError("@postern/verify: clock: must count milliseconds")
  return Math.floor(millis / 1000)
}

const meansOf = (options: ResourceServerOptions, off: ReadonlySet<string>, clock: () => number): Means => {
  const { issuer: issuerName, jwksUri, keys, jwts = { verify: joseVerify } } = options
  const dpop = dpopOf(options)
  // Called as a plain function, because some runtimes refuse `fetch` as a method of another object.
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init))
  const algorithms = options.algorithms ?? peerAlgorithms
  const issuer = issuerOf({ issuer: issuerName, jwksUri, keys, fetch, jwts, clock })
  const bases = basesOf(options)
  const place = metadataPlace(options)
  return {
    options,
    issuer,
    algorithms,
    bases,
    metadataUrl: place === undefined ? undefined : new URL(options.resource).origin + place,
    introspect:
      options.introspection && introspection(options.introspection, { issuer, issuerName, algorithms, fetch, digest: webDigest, off }),
    proofs: dpop && {
      digest: webDigest,
      jwts,
      lifetime: dpop.lifetime ?? 60,
      nonceKey: opened(dpop.nonceKey),
      algorithms: dpop.algorithms ?? proofAlgorithms,
    },
    uses: dpop?.uses ?? memoryUses(),
  }
}
