import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2"

/** A request of `node:http`, `node:https` or `node:http2`; those of Express and Connect are such too. */
export type NodeRequest = (IncomingMessage | Http2ServerRequest) & {
  /** The target before a framework cut its mount path off. */
  readonly originalUrl?: string | undefined
  /** The body where a parser ran before. */
  readonly body?: unknown
  /** The body's bytes where a platform kept them. */
  readonly rawBody?: unknown
}

/** The response that belongs to a {@link NodeRequest}. */
export type NodeResponse = ServerResponse | Http2ServerResponse
