import type { Awaitable } from "./awaitable.ts"

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
    }
  /** Not fetched, or not whole: the operator reads why. */
  | { /** The document did not come. */ readonly _tag: "Unfetched"; /** The reason, for the operator. */ readonly reason: string }

/**
 * Fetches what clients publish: a `jwks_uri`, a `request_uri`, a `sector_identifier_uri`. The URL is a stranger's, so an implementation
 * takes https alone, connects to public addresses alone and to the one it resolved, follows no redirect, and reads at most 64 KiB within
 * 5 seconds (RFC 9101 §10.4.1).
 */
export interface OutboundPort {
  /** Fetches a document by GET, with this `Accept` header. */
  readonly fetch: (url: string, accept: string) => Awaitable<OutboundAnswer>
}

/** Fetches nothing: for a provider whose clients state their keys and send no `request_uri`. */
export const noOutbound: OutboundPort = {
  fetch: () => ({ _tag: "Unfetched", reason: "no Outbound port was given to the provider" }),
}
