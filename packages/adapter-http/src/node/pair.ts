import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2"

/** A request of `node:http`, `node:https` or `node:http2`, which includes those of Express and Connect. */
export type NodeRequest = (IncomingMessage | Http2ServerRequest) & {
  /** The target before a framework removed its mount path. */
  readonly originalUrl?: string | undefined
  /** The body, if a parser has run before. */
  readonly body?: unknown
  /** The body's bytes, if the platform has kept them. */
  readonly rawBody?: unknown
}

/** The response to a {@link NodeRequest}. */
export type NodeResponse = ServerResponse | Http2ServerResponse
