import { longestBody } from "@postern/core/wire"

/** Limits on one caller's use of the server. Sizes are in bytes, times in milliseconds. */
export interface Limits {
  /** The maximum body size; a longer one is answered 413. */
  readonly body: number
  /** The maximum size of all bodies together that are still arriving; beyond it those with the most bytes are answered 503. */
  readonly bodies: number
  /** The maximum size of the request line and header section; a longer one is answered 431. */
  readonly headers: number
  /** The maximum length of the request target; a longer one is answered 414. */
  readonly url: number
  /** The maximum time from the opening of a connection, or the first byte of a request, to the end of its headers; then 408. */
  readonly headersTime: number
  /** The maximum time from the first byte of a request to the last of its body; then 408. */
  readonly requestTime: number
  /**
   * The idle time between two requests of a connection. It must exceed a load balancer's, which would otherwise reuse a closed connection.
   */
  readonly keepAlive: number
  /** The maximum time without a byte in either direction while a request is answered. */
  readonly idle: number
  /** The maximum number of complete requests in progress; further ones are answered 503 before they use more resources. */
  readonly inFlight: number
  /** The maximum number of requests that wait for earlier ones of their connections; beyond it, connections with more than eight end. */
  readonly pipelined: number
  /** The maximum number of open connections; further ones are answered 503 and closed. */
  readonly connections: number
  /** The time a connection waits, after its last answer, for its caller to close it too. */
  readonly lingerTime: number
  /** The number of bytes that are read and discarded during that time. */
  readonly lingerBytes: number
  /** The maximum number of connections in that state, in addition to the open ones; the oldest is evicted. */
  readonly lingerConnections: number
  /** The maximum number of requests per connection. The last is answered with `Connection: close`, so that load is redistributed. */
  readonly requestsPerConnection: number
}

/** Default limits, for a server on the public internet. */
export const defaultLimits: Limits = {
  body: longestBody,
  bodies: 67_108_864,
  headers: 16_384,
  url: 8_192,
  headersTime: 10_000,
  requestTime: 20_000,
  keepAlive: 65_000,
  idle: 60_000,
  inFlight: 1_000,
  pipelined: 16_384,
  connections: 16_384,
  lingerTime: 5_000,
  lingerBytes: 16_777_216,
  lingerConnections: 512,
  requestsPerConnection: 10_000,
}

/** Returns one process's share of a server's limits: those that count all callers together are divided by the number of processes. */
export const shareOfLimits = (limits: Limits, processes: number): Limits => ({
  ...limits,
  bodies: Math.ceil(limits.bodies / processes),
  inFlight: Math.ceil(limits.inFlight / processes),
  pipelined: Math.ceil(limits.pipelined / processes),
  connections: Math.ceil(limits.connections / processes),
  lingerConnections: Math.ceil(limits.lingerConnections / processes),
})

/** Time limits of a shutdown, in milliseconds. */
export interface StopTimes {
  /** The time idle connections are kept open, so that requests in transit are answered and clients are notified of the shutdown. */
  readonly quiet: number
  /** The time for which connections are still accepted first, because another process hands them over one by one. */
  readonly accept: number
  /** The total time after which requests in progress are cut off. */
  readonly drain: number
}

/** Half a second for requests in transit, ten seconds for requests in progress. */
export const defaultStopTimes: StopTimes = { accept: 0, quiet: 500, drain: 10_000 }
