import type { Provider } from "@postern/core"
import type { Settings } from "@postern/core/model"
import type { Awaitable, EntropyPort } from "@postern/core/ports"
import * as Data from "effect/Data"
import type { CertificateProxies } from "./certificates.ts"
import type { Limits, StopTimes } from "./limits.ts"
import type { ClientAuthorities, TlsFiles } from "./listener.ts"
import type { JsonLog } from "./log.ts"
import type { Reading } from "./metrics.ts"
import type { Asset } from "./pages/assets.ts"
import type { WrittenPages } from "./refuse.ts"
import type { TicketSecret } from "./tickets.ts"
import type { TrailLog } from "./trails.ts"

/** The server could not start: the port is taken, a TLS file is missing, a trusted proxy is not an address. */
export class ServeError extends Data.TaggedError("ServeError")<{ readonly cause: unknown }> {}

/** The provider that is served. */
export interface Serving {
  /** The provider to serve. */
  readonly provider: Pick<Provider, "handle" | "endpointAt"> &
    Partial<Pick<Provider, "outward">> & { /** The settings of the provider. */ readonly settings: Pick<Settings, "issuer"> }
  /** The provider's own pages, for what is refused before the provider sees it, and the files they load. */
  readonly pages: WrittenPages & { /** The files that the pages load. */ readonly assets?: ReadonlyArray<Asset> }
}

/** The provider that is served, its addresses and its limits. */
export interface ServeOptions extends Serving {
  /** Port 0 takes one that is free. Loopback when no host is given. */
  readonly listen: { /** The address to listen on. */ readonly host?: string; /** The port to listen on. */ readonly port: number }
  /** Plain HTTP when not given. A renewed certificate is taken up within a minute. */
  readonly tls?: TlsFiles
  /**
   * The secret of TLS session tickets, for processes that serve together; drawn at the start when left out. A function is asked once: whoever
   * keeps the secret can compute the later ones.
   */
  readonly tickets?: TicketSecret | (() => TicketSecret)
  /** A listener of its own that asks clients for certificates and requires none (RFC 8705 §6.1); it needs `tls`. */
  readonly mutualTls?: MutualTls
  /** Proxies that are believed about the certificates of callers at `listen` (RFC 9440). Nobody when not given, and their headers never reach the provider. */
  readonly certificateProxies?: CertificateProxies
  /** Tells at `/health/proxy`, to everybody, what reached the server of a request's proxy headers. False when not given. */
  readonly proxyCheck?: boolean
  /** Addresses or networks whose `X-Forwarded-For` is believed. Nobody's when not given; other forwarding headers never are. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Limits other than `defaultLimits`. */
  readonly limits?: Partial<Limits>
  /** Times other than `defaultStopTimes`. */
  readonly stopTimes?: Partial<StopTimes>
  /** Judges whether what the provider relies on is there, for `/health/ready`: false or a throw says no. */
  readonly ready?: () => Awaitable<unknown>
  /** Access to `/metrics`: everybody (true), nobody (false), or callers on this machine. */
  readonly metrics?: boolean
  /** Number of requests in queues with bounds of their own, as for a slow hash: they take none of the places of `limits.inFlight`. */
  readonly waiting?: () => number
  /** Reads the metrics of all processes of the server, for `/metrics`; those of this one when left out. */
  readonly metricsOfAll?: () => Promise<string>
  /** Further readings for `/metrics`. */
  readonly readings?: ReadonlyArray<Reading>
  /** Readings that come while it serves, each the same object whenever it is asked for; asked when metrics are. There must be a bound to their number. */
  readonly growing?: () => ReadonlyArray<Reading>
  /** JSON lines on standard output when not given. */
  readonly log?: JsonLog
  /** The provider's trail log, to be told how long each request took. */
  readonly trails?: TrailLog
  /** Draws randomness; by node:crypto when left out. */
  readonly entropy?: EntropyPort
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/** The listener that asks clients for certificates. */
export interface MutualTls extends ClientAuthorities {
  /** Its address, as `listen` has it. */
  readonly listen: ServeOptions["listen"]
}

/** A server that listens. */
export interface Served {
  /** The URL on which it listens. */
  readonly url: string
  /** The URL on which it asks for certificates; undefined where it does not. */
  readonly mutualTlsUrl: string | undefined
  /** The address it listens on. */
  readonly host: string
  /** The port it listens on. */
  readonly port: number
  /**
   * Serves another provider of the same issuer, with its pages, from the next request on. Requests that have begun are finished by the one they
   * came to, and the files of pages that were already sent go on being served.
   */
  readonly replace: (serving: Serving) => void
  /** Takes up the certificate of these files at once, and answers whether it is another. Throws when it cannot be used; the one before stays then. */
  readonly takeCertificate: (tls: TlsFiles) => boolean
  /** Reads the metrics of this process, in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>
}
