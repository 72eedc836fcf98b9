import { longestBody } from "@postern/core/wire"

/** Bounds on one caller's use of the server. Sizes in bytes, times in milliseconds. */
export interface Limits {
  /** Longest body that is read; beyond it 413. */
  readonly body: number
  /** Longest request line and header section; beyond it 431. */
  readonly headers: number
  /** Longest request target; beyond it 414. */
  readonly url: number
  /** From the opening of a connection, or the first byte of a request, to the end of its headers; beyond it 408. */
  readonly headersTime: number
  /** From the first byte of a request to the last of its body; beyond it 408. */
  readonly requestTime: number
  /** Between two requests of a connection. Longer than a load balancer's, or it would send into a closed connection. */
  readonly keepAlive: number
  /** Without a byte either way while a request is answered. */
  readonly idle: number
  /** Requests that are whole and being answered at once; further ones are 503 before they cost more. */
  readonly inFlight: number
  /** Open connections; further ones are answered 503, and closed. */
  readonly connections: number
  /** Time for which a connection waits, after its last answer, for its caller to close it too. */
  readonly lingerTime: number
  /** Bytes that are read and dropped meanwhile. */
  readonly lingerBytes: number
  /** Number of connections that wait so beside those that are open; the oldest makes way. */
  readonly lingerConnections: number
  /** Requests of one connection; the last is answered with `Connection: close`, so that load spreads again. */
  readonly requestsPerConnection: number
}

/** Limits for a server that faces the internet. */
export const defaultLimits: Limits = {
  body: longestBody,
  headers: 16_384,
  url: 8_192,
  headersTime: 10_000,
  requestTime: 20_000,
  keepAlive: 65_000,
  idle: 60_000,
  inFlight: 1_000,
  connections: 16_384,
  lingerTime: 5_000,
  lingerBytes: 16_777_216,
  lingerConnections: 512,
  requestsPerConnection: 10_000,
}

/** The share that each of several processes has of a server's limits: of what is counted for all callers together. */
export const shareOfLimits = (limits: Limits, processes: number): Limits => ({
  ...limits,
  inFlight: Math.ceil(limits.inFlight / processes),
  connections: Math.ceil(limits.connections / processes),
  lingerConnections: Math.ceil(limits.lingerConnections / processes),
})

/** Time limits of a shutdown, in milliseconds. */
export interface StopTimes {
  /** Time for which idle connections are kept, so that requests under way are answered and their clients learn of the end. */
  readonly quiet: number
  /** Time for which connections are still accepted before anything else: those that another process hands over, one by one. */
  readonly accept: number
  /** After this much in all, what is not answered yet is cut. */
  readonly drain: number
}

/** Half a second for what is on its way, ten for what has begun. */
export const defaultStopTimes: StopTimes = { accept: 0, quiet: 500, drain: 10_000 }
