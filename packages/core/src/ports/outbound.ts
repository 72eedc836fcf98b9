import type { Secret } from "../model/index.ts"
import type { CachingHeaders } from "../wire/index.ts"
import type { Awaitable } from "./awaitable.ts"

export type { CachingHeaders } from "../wire/index.ts"

/** The result of fetching a document. */
export type OutboundAnswer =
  | {
      /** The whole document was received. */
      readonly _tag: "Fetched"
      /** The HTTP status. */
      readonly status: number
      /** Its `Content-Type`. */
      readonly contentType?: string | undefined
      /** The body as text. */
      readonly body: string
      /** The `Retry-After` header, if present (RFC 9110 §10.2.3). */
      readonly retryAfter?: string | undefined
      /** The headers that state how long the document is fresh, if present (RFC 9111 §4.2.1). */
      readonly caching?: CachingHeaders | undefined
    }
  /** The document was not fetched, or not completely. The reason is for the operator. */
  | {
      /** The document was not received. */
      readonly _tag: "Unfetched"
      /** The reason, for the operator. */
      readonly reason: string
      /**
       * True if the host was unreachable or did not answer in time, so that a later attempt may succeed. Otherwise the response itself was
       * rejected.
       */
      readonly isUnreachable?: true | undefined
    }

/** Limits of one fetch, which are tighter than those of the port, and the origin of its URL. */
export interface OutboundLimits {
  /** The maximum size of the body, in bytes. */
  readonly bytes?: number | undefined
  /** The maximum duration of the whole fetch, in milliseconds. */
  readonly milliseconds?: number | undefined
  /** True if the body is binary. It is returned as base64 (RFC 4648 §4). */
  readonly isBinary?: boolean | undefined
  /**
   * True if anybody could have chosen the URL, because no operator registered the client. Its failures must not block the documents that
   * others publish at the same host.
   */
  readonly ofStranger?: true | undefined
}

/** The body of a POST request to another party. */
export interface OutboundBody {
  /** Its `Content-Type`. */
  readonly contentType: string
  /** The body as text. */
  readonly text: string
  /** The `Authorization` header, if the receiver requires one. */
  readonly authorization?: Secret | undefined
  /** True if the URL belongs to a client that no operator registered, as in {@link OutboundLimits}. */
  readonly ofStranger?: true | undefined
}

/**
 * Fetches documents that clients publish: a `jwks_uri`, a `request_uri`, a `sector_identifier_uri`, a client's own metadata document. The
 * URL is not trusted, so an implementation accepts https only, connects to public addresses only and to the one it resolved, follows no
 * redirect, and reads at most 64 KiB within 5 seconds (RFC 9101 §10.4.1).
 */
export interface OutboundPort {
  /** Fetches a document by GET with this `Accept` header, and within these limits if they are given. */
  readonly fetch: (url: string, accept: string, limits?: OutboundLimits) => Awaitable<OutboundAnswer>
  /**
   * Sends a message by POST to a URL that a client has registered, within the same limits (OpenID Connect Back-Channel Logout §2.5). The
   * HTTP status is the result: redirects are not followed, and the body need not be read. The signal aborts the request. If this is
   * omitted, no message can be delivered.
   */
  readonly post?: (url: string, body: OutboundBody, signal: AbortSignal) => Awaitable<OutboundAnswer>
}

/** An outbound port that fetches nothing, for a provider whose clients register their keys inline and send no `request_uri`. */
export const noOutbound: OutboundPort = {
  fetch: () => ({ _tag: "Unfetched", reason: "no Outbound port was given to the provider" }),
}
