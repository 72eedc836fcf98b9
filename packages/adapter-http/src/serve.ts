import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Provider } from "@postern/core"
import type { Settings } from "@postern/core/model"
import type { Awaitable, EntropyPort } from "@postern/core/ports"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { callerAddress } from "./address.ts"
import { type CallerCertificate, type CertificateProxies, certificateFromProxy, certificateOfSocket } from "./certificates.ts"
import { answerWriter } from "./answer.ts"
import { exchange } from "./exchange.ts"
import { places, saidSeldom } from "./places.ts"
import { type Limits, type StopTimes, defaultLimits, defaultStopTimes } from "./limits.ts"
import { type ClientAuthorities, type Tls, type TlsFiles, listener, renewal, stopAccepting } from "./listener.ts"
import { lingering } from "./lingering.ts"
import { type JsonLog, jsonLog } from "./log.ts"
import { type Reading, meter } from "./metrics.ts"
import { waitersOf } from "./waiters.ts"
import { ownPaths } from "./operations.ts"
import type { Asset } from "./pages/assets.ts"
import { nodeEntropy } from "./ports.ts"
import { proxyReport } from "./proxyReport.ts"
import { type WrittenPages, refuseRequest } from "./refuse.ts"
import { newTicketSecret, type TicketSecret, ticketSecretAt } from "./tickets.ts"
import type { TrailLog } from "./trails.ts"
import { refuseConnection, refuseUnparsed } from "./unparsed.ts"

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

const ticketsOf = (given: ServeOptions["tickets"], now: number): TicketSecret =>
  typeof given === "function" ? given() : (given ?? newTicketSecret(now))

/**
 * Serves a provider until the scope ends; then stops gracefully: accepts no more connections, answers what has begun within the bound,
 * and closes the rest. Fails when it cannot listen, when a trusted proxy is none, or when TLS files cannot be read.
 */
export const serveProvider = (options: ServeOptions): Effect.Effect<Served, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const { provider, pages, listen, tls: files, clock = Date.now, entropy = nodeEntropy, trails } = options
    const tls: Tls | undefined =
      files === undefined ? undefined : { files, tickets: ticketSecretAt(ticketsOf(options.tickets, clock()), clock()) }
    const { issuer } = provider.settings
    const limits = { ...defaultLimits, ...options.limits }
    const log = options.log ?? jsonLog()
    const basePath = basePathOf(issuer)
    const state = { draining: false, answering: 0, connections: 0, accepted: 0, begun: 0 }
    const draining = (): boolean => state.draining
    const asking = askingOf(tls, options.mutualTls)
    const [server, mutual, address, fromProxy] = yield* Effect.try({
      try: () =>
        [
          listener(limits, tls),
          asking && listener(limits, asking),
          callerAddress(options.trustedProxies ?? []),
          certificateFromProxy(options.certificateProxies),
        ] as const,
      catch: (cause) => new ServeError({ cause }),
    })
    const servers = mutual === undefined ? [server] : [server, mutual]
    const ofSocket = certificateOfSocket(asking?.asks?.ca !== undefined)
    /** Connections that were asked for a certificate. */
    const asked = new WeakSet<object>()
    mutual?.on("secureConnection", (socket: Socket) => void asked.add(socket))
    const certificate: CallerCertificate = (incoming) => (asked.has(incoming.socket) ? ofSocket(incoming) : fromProxy(incoming))
    const closing = lingering(limits)
    const waiters = waitersOf()
    const gauges = { connections: () => state.connections, inFlight: () => state.answering }
    const counters = meter(yield* Effect.context<never>(), gauges, [...waiters.readings, ...(options.readings ?? [])])
    const means = {
      basePath,
      ready: options.ready ?? (() => true),
      draining,
      readMetrics: options.metricsOfAll ?? counters.text,
      metrics: options.metrics,
      proxyReport: options.proxyCheck === true ? (incoming: IncomingMessage) => proxyReport(incoming, certificate, address) : undefined,
    }
    const serving = ({ provider: { handle, endpointAt, outward }, pages }: Serving) => {
      waiters.add(outward)
      return {
        handle,
        endpointAt,
        own: ownPaths({ ...means, assets: pages.assets ?? [] }),
        refuse: refuseRequest({ issuer, basePath, endpointAt, pages, entropy, trails, clock }),
      }
    }
    let now = serving({ provider, pages })
    const answer = exchange({
      handle: (message) => now.handle(message),
      endpointAt: (path) => now.endpointAt(path),
      own: (path) => now.own.get(path),
      refuse: (offence, path, acceptLanguage) => now.refuse(offence, path, acceptLanguage),
      address,
      certificate,
      write: answerWriter(issuer),
      limits,
      draining,
      closing,
      enter: places(limits.inFlight, log, () => waiters.load().waiting + (options.waiting?.() ?? 0)),
      meter: counters,
      basePath,
      log,
      trails,
    })

    const done = (): void => void state.answering--
    const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      state.answering++
      state.begun++
      answer(incoming, outgoing, done)
    }

    const refusing = { closing, told: (status: number) => counters.answered("other", status, 0) }
    const full = saidSeldom(log)
    for (const each of servers) {
      // A fiber of its own for each request would cost as much as answering it.
      each.on("request", onRequest)
      each.on("checkContinue", onRequest)
      each.on("connection", (socket) => {
        state.connections++
        state.accepted++
        socket.once("close", () => state.connections--)
      })
      refuseUnparsed(each, refusing)
      each.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
        if (state.connections - closing.count() <= limits.connections) return
        refuseConnection(socket, refusing)
        full({ connections: limits.connections })
      })
    }
    // In the order they run at the end, last to first: drain, then what is left is cut, then the last line.
    yield* Effect.addFinalizer(() => Effect.promise(() => log.flush()))
    yield* Effect.addFinalizer(() => Effect.sync(() => counters.close()))
    yield* listening(server, listen)
    if (mutual !== undefined && options.mutualTls !== undefined) yield* listening(mutual, options.mutualTls.listen)
    for (const each of servers) each.on("error", (error) => log.line("error", "listener failed", { fault: error.message }))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const each of servers) each.closeAllConnections()
        closing.cut()
      }),
    )
    yield* Effect.addFinalizer(() => drain(servers, state, { ...defaultStopTimes, ...options.stopTimes }, log))
    const renewals = [
      ...(tls === undefined ? [] : [renewal(server, tls, clock)]),
      ...(mutual === undefined || asking === undefined ? [] : [renewal(mutual, asking, clock)]),
    ]
    // Both take up what has changed, whatever the other says.
    const takeUp = (changed?: TlsFiles): boolean => renewals.map((each) => each(changed)).includes(true)
    if (tls !== undefined) yield* Effect.forkScoped(renewing(takeUp, tls.files, log))

    const { host, port, url } = placeOf(server, tls === undefined ? "http" : "https")
    const mutualTlsUrl = mutual && placeOf(mutual, "https").url
    log.line("info", "listening", { url, issuer, pid: process.pid, ...(mutualTlsUrl === undefined ? {} : { mutual_tls: mutualTlsUrl }) })
    const replace: Served["replace"] = (next) => {
      const made = serving(next)
      now = { ...made, own: new Map([...now.own, ...made.own]) }
    }
    return { url, mutualTlsUrl, host, port, replace, takeCertificate: takeUp, readMetrics: counters.text }
  })

/** The TLS of the listener that asks for certificates; undefined where there is none. */
const askingOf = (tls: Tls | undefined, mutualTls: MutualTls | undefined): Tls | undefined =>
  tls && mutualTls && { ...tls, asks: { ca: mutualTls.ca } }

/** The place on which a server listens. */
const placeOf = (server: HttpServer, scheme: string) => {
  const { address: host, port, family } = server.address() as AddressInfo
  return { host, port, url: `${scheme}://${family === "IPv6" ? `[${host}]` : host}:${port}` }
}

/** The same as a layer, for a program made of layers. */
export const providerServer = (options: ServeOptions): Layer.Layer<never, ServeError> => Layer.effectDiscard(serveProvider(options))

/**
 * Listens until the scope ends. The platform's own server would bring a client, sockets, files and processes along to do this, which are
 * a third of what a start has to load.
 */
const listening = (
  server: HttpServer,
  { port, host = "127.0.0.1" }: ServeOptions["listen"],
): Effect.Effect<void, ServeError, Scope.Scope> => {
  const started = Effect.callback<void, ServeError>((resume) => {
    const refused = (cause: Error): void => resume(Effect.fail(new ServeError({ cause })))
    server.once("error", refused)
    server.listen({ port, host }, () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  })
  return Effect.acquireRelease(started, () => Effect.sync(() => stopAccepting(server)))
}

/** The path of an issuer, without a slash at its end. */
const basePathOf = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, "")

interface Load {
  draining: boolean
  readonly answering: number
  readonly connections: number
  /** Connections since the start, and requests. */
  readonly accepted: number
  readonly begun: number
}

const turn: Effect.Effect<void> = Effect.callback((resume) => void setImmediate(() => resume(Effect.void)))

/** Takes what waits in the kernel, connections and requests on them, which closing would reset: until two turns of the event loop bring no more. */
const takeQueued = Effect.fnUntraced(function* (taken: () => number, until: () => boolean) {
  let before: number
  do {
    before = taken()
    yield* turn
    yield* turn
  } while (taken() > before && !until())
})

/** Every answer now ends its connection; those without a request are closed after a while, all of them at the bound. */
const drain = Effect.fnUntraced(function* (servers: ReadonlyArray<HttpServer>, load: Load, times: StopTimes, log: JsonLog) {
  load.draining = true
  if (times.accept > 0) yield* Effect.sleep(times.accept)
  let began = performance.now()
  const waited = (): number => performance.now() - began
  yield* takeQueued(
    () => load.accepted,
    () => waited() >= times.quiet,
  )
  began = performance.now()
  for (const each of servers) stopAccepting(each)
  log.line("info", "stopping", { connections: load.connections, answering: load.answering })
  while (load.connections > 0 && waited() < times.drain && (load.answering > 0 || waited() < times.quiet)) yield* Effect.sleep(10)
  // On a machine with much to do, requests may have come since this process was last given time.
  yield* takeQueued(
    () => load.begun,
    () => waited() >= times.drain,
  )
  // A caller may be gone whose request is still worked on.
  while (load.answering > 0 && waited() < times.drain) yield* Effect.sleep(10)
  log.line(load.answering > 0 ? "warn" : "info", "stopped", { cut: load.answering, after_ms: Math.round(waited()) })
})

const renewing = (changed: () => boolean, { cert }: TlsFiles, log: JsonLog): Effect.Effect<void> => {
  const check = Effect.sync(() => {
    try {
      if (changed()) log.line("info", "certificate renewed", { cert })
    } catch (cause) {
      log.line("warn", "certificate not renewed", { cert, fault: String(cause) })
    }
  })
  return Effect.asVoid(Effect.repeat(check, Schedule.spaced("1 minute")))
}
