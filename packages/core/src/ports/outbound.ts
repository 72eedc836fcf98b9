import type { Secret } from "../model/index.ts"
import type { CachingHeaders } from "../wire/index.ts"
import type { Awaitable } from "./awaitable.ts"

export type { CachingHeaders } from "../wire/index.ts"

/** The result of fetching a document. */
export type OutboundAnswer =
  | {
      /** The document came, whole. */
      readonly _tag: "Fetched"
      /** The HTTP status. */
      readonly status: number
      /** Its `Content-Type`. */
      readonly contentType?: string | undefined
      /** The body as text. */
      readonly body: string
      /** The `Retry-After` header, where it has one (RFC 9110 §10.2.3). */
      readonly retryAfter?: string | undefined
      /** The headers that say how long it is good for, where it has them (RFC 9111 §4.2.1). */
      readonly caching?: CachingHeaders | undefined
    }
  /** Not fetched, or not whole: the operator reads why. */
  | {
      /** The document did not come. */
      readonly _tag: "Unfetched"
      /** The reason, for the operator. */
      readonly reason: string
      /** True where the host was not reached or did not answer in time: a later try may succeed. Otherwise the answer itself was refused. */
      readonly isUnreachable?: true | undefined
    }

/** Limits of one fetch, tighter than those of the port, and whose URL it is. */
export interface OutboundLimits {
  /** The longest body, in bytes. */
  readonly bytes?: number | undefined
  /** Time for all of it, in milliseconds. */
  readonly milliseconds?: number | undefined
  /** True for a body that is no text: it is given as base64 (RFC 4648 §4). */
  readonly isBinary?: boolean | undefined
  /** True for a URL that anybody could have chosen, of a client that no operator registered: its failures must keep nobody from what others publish at the same host. */
  readonly ofStranger?: true | undefined
}

/** The body that is sent to somebody else by POST. */
export interface OutboundBody {
  /** Its `Content-Type`. */
  readonly contentType: string
  /** The body as text. */
  readonly text: string
  /** The `Authorization` header, where the receiver asks for one. */
  readonly authorization?: Secret | undefined
  /** True for a URL of a client that no operator registered, as in {@link OutboundLimits}. */
  readonly ofStranger?: true | undefined
}

/**
 * Fetches what clients publish: a `jwks_uri`, a `request_uri`, a `sector_identifier_uri`, a client's own metadata document. The URL is a stranger's, so an implementation
 * takes https alone, connects to public addresses alone and to the one it resolved, follows no redirect, and reads at most 64 KiB within
 * 5 seconds (RFC 9101 §10.4.1).
 */
export interface OutboundPort {
  /** Fetches a document by GET, with this `Accept` header; within these limits where they are given. */
  readonly fetch: (url: string, accept: string, limits?: OutboundLimits) => Awaitable<OutboundAnswer>
  /**
   * Sends a message by POST to a URL that a client has registered, within the same limits (OpenID Connect Back-Channel Logout §2.5). Its status is the
   * answer: a redirect is not followed, and the body need not be read. Aborted by the signal. Where it is left out, no message can be delivered.
   */
  readonly post?: (url: string, body: OutboundBody, signal: AbortSignal) => Awaitable<OutboundAnswer>
}

/** Fetches nothing: for a provider whose clients state their keys and send no `request_uri`. */
export const noOutbound: OutboundPort = {
  fetch: () => ({ _tag: "Unfetched", reason: "no Outbound port was given to the provider" }),
}
