import type { Provider } from "@postern/core"
import type { Settings } from "@postern/core/model"
import type { Awaitable, EntropyPort } from "@postern/core/ports"
import { type MemberKinds, memberFaults, partFaults } from "@postern/core/options"
import * as Data from "effect/Data"
import { type CertificateProxies, proxiesFaults } from "./certificates.ts"
import { type Limits, type StopTimes, defaultLimits, defaultStopTimes } from "./limits.ts"
import type { ClientAuthorities, TlsFiles } from "./listener.ts"
import type { JsonLog } from "./log.ts"
import type { Reading } from "./metrics.ts"
import type { Asset } from "./pages/assets.ts"
import type { WrittenPages } from "./refuse.ts"
import type { TicketSecret } from "./tickets.ts"
import type { TrailLog } from "./trails.ts"

/** The error of a server that could not start: the port is in use, a TLS file is missing, or a trusted proxy is not an address. */
export class ServeError extends Data.TaggedError("ServeError")<{ readonly cause: unknown }> {}

/** The provider that is served, with its pages. */
export interface Serving {
  /** The provider to serve. */
  readonly provider: Pick<Provider, "handle" | "endpointAt"> &
    Partial<Pick<Provider, "outward">> & { /** The settings of the provider. */ readonly settings: Pick<Settings, "issuer"> }
  /** The provider's own pages, for requests that are rejected before they reach the provider, and the files they load. */
  readonly pages: WrittenPages & { /** The files that the pages load. */ readonly assets?: ReadonlyArray<Asset> }
}

/** The provider that is served, its addresses and its limits. */
export interface ServeOptions extends Serving {
  /** The address and port to listen on. Port 0 selects a free port. Default host: loopback. */
  readonly listen: { /** The address to listen on. */ readonly host?: string; /** The port to listen on. */ readonly port: number }
  /** The TLS certificate. Default: plain HTTP. A renewed certificate is applied within a minute. */
  readonly tls?: TlsFiles
  /**
   * The secret of TLS session tickets, for processes that serve together. Default: a random one. A function is called once and its result
   * not retained, because anyone who keeps the secret can derive the later ones.
   */
  readonly tickets?: TicketSecret | (() => TicketSecret)
  /** A separate listener that requests client certificates without requiring them (RFC 8705 §6.1). It needs `tls`. */
  readonly mutualTls?: MutualTls
  /**
   * Proxies that are trusted to forward client certificates at `listen` (RFC 9440). Default: none. Certificate headers are never passed to
   * the provider.
   */
  readonly certificateProxies?: CertificateProxies
  /** Reports a request's received proxy headers at `/health/proxy`, to everybody. Default: false. */
  readonly proxyCheck?: boolean
  /** Addresses or networks whose `X-Forwarded-For` is trusted. Default: none. Other forwarding headers are never trusted. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Limits that override `defaultLimits`. */
  readonly limits?: Partial<Limits>
  /** Times that override `defaultStopTimes`. */
  readonly stopTimes?: Partial<StopTimes>
  /** Checks the provider's dependencies, for `/health/ready`; false or a throw means not ready. */
  readonly ready?: () => Awaitable<unknown>
  /** Access to `/metrics`: everybody (true), nobody (false), or callers on this machine. */
  readonly metrics?: boolean
  /** The number of requests in queues with limits of their own, such as for a slow hash. They do not count toward `limits.inFlight`. */
  readonly waiting?: () => number
  /** Returns the metrics of all the server's processes, for `/metrics`. Default: those of this process. */
  readonly metricsOfAll?: () => Promise<string>
  /** Additional readings for `/metrics`. */
  readonly readings?: ReadonlyArray<Reading>
  /**
   * Readings that are added while the server runs, polled when metrics are requested. Each must be the same object every time, and their
   * number must be bounded.
   */
  readonly growing?: () => ReadonlyArray<Reading>
  /** Default: JSON lines on standard output. */
  readonly log?: JsonLog
  /** The provider's trail log, which is told the duration of each request. */
  readonly trails?: TrailLog
  /** The source of randomness. Default: node:crypto. */
  readonly entropy?: EntropyPort
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

const kinds: MemberKinds<ServeOptions> = {
  provider: "object",
  pages: "object",
  listen: "object",
  tls: "object?",
  tickets: "own?",
  mutualTls: "object?",
  certificateProxies: "object?",
  proxyCheck: "boolean?",
  trustedProxies: "texts?",
  limits: "object?",
  stopTimes: "object?",
  ready: "function?",
  metrics: "boolean?",
  waiting: "function?",
  metricsOfAll: "function?",
  readings: "objects?",
  growing: "function?",
  log: "object?",
  trails: "object?",
  entropy: "object?",
  clock: "function?",
}

const numbers = (names: object): Readonly<Record<string, "number?">> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, "number?"] as const))

/** Returns the faults of the options, as text: missing and unknown members, and those of the wrong kind. */
export const serveFaults = (options: ServeOptions): ReadonlyArray<string> => {
  const unfit = memberFaults(options, kinds)
  if (unfit.length > 0) return unfit
  const { provider, pages, listen, limits, stopTimes, certificateProxies } = options
  return [
    ...partFaults("provider", provider, { handle: "function", endpointAt: "function", settings: "object" }, "Provider"),
    ...partFaults("pages", pages, { render: "function" }, "PagesPort"),
    ...memberFaults(listen, { host: "text?", port: "number" }, "listen."),
    ...(limits === undefined ? [] : memberFaults(limits, numbers(defaultLimits), "limits.")),
    ...(stopTimes === undefined ? [] : memberFaults(stopTimes, numbers(defaultStopTimes), "stopTimes.")),
    ...(certificateProxies === undefined ? [] : proxiesFaults(certificateProxies)),
  ]
}

/** The listener that requests client certificates. */
export interface MutualTls extends ClientAuthorities {
  /** The address and port, as in `listen`. */
  readonly listen: ServeOptions["listen"]
}

/** A running server. */
export interface Served {
  /** The URL of the server. */
  readonly url: string
  /** The URL of the listener that requests client certificates; undefined if there is none. */
  readonly mutualTlsUrl: string | undefined
  /** The address it listens on. */
  readonly host: string
  /** The port it listens on. */
  readonly port: number
  /**
   * Replaces the provider with another of the same issuer, and its pages, from the next request on. Requests in progress are finished by
   * the previous provider, and its page assets are still served.
   */
  readonly replace: (serving: Serving) => void
  /**
   * Applies the certificate of these files at once, and reports whether it differs. Throws if it cannot be used; the previous one then
   * stays in use.
   */
  readonly takeCertificate: (tls: TlsFiles) => boolean
  /** Returns the metrics of this process, in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>
}
