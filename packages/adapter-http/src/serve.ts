import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { refuseFaults } from "@postern/core/options"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { callerAddress } from "./address.ts"
import { type CallerCertificate, certificateFromProxy, certificateOfSocket, fieldsReadOf } from "./certificates.ts"
import { answerWriter } from "./answer.ts"
import { arriving } from "./arriving.ts"
import { exchange } from "./exchange.ts"
import { pipelines } from "./pipelines.ts"
import { places, saidSeldom } from "./places.ts"
import { drain } from "./draining.ts"
import { defaultLimits, defaultStopTimes } from "./limits.ts"
import { type Tls, type TlsFiles, listener, renewal, stopAccepting } from "./listener.ts"
import { lingering } from "./lingering.ts"
import { type JsonLog, jsonLog } from "./log.ts"
import { meter } from "./metrics.ts"
import { waitersOf } from "./waiters.ts"
import { ownPaths } from "./operations.ts"
import { nodeEntropy } from "./ports.ts"
import { proxyReport } from "./proxyReport.ts"
import { refuseRequest } from "./refuse.ts"
import { newTicketSecret, type TicketSecret, ticketSecretAt } from "./tickets.ts"
import { type MutualTls, type ServeOptions, type Served, type Serving, ServeError, serveFaults } from "./serveOptions.ts"
import { refuseConnection, refuseUnparsed } from "./unparsed.ts"

const ticketsOf = (given: ServeOptions["tickets"], now: number): TicketSecret =>
  typeof given === "function" ? given() : (given ?? newTicketSecret(now))

/**
 * Serves a provider until the scope closes, then shuts down gracefully: it accepts no more connections, answers requests in progress within
 * the time limit, and closes the rest. Fails if it cannot listen, if a trusted proxy is not an address or network, or if TLS files cannot
 * be read.
 */
export const serveProvider = (options: ServeOptions): Effect.Effect<Served, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.try({ try: () => refuseFaults("serveProvider", serveFaults(options)), catch: (cause) => new ServeError({ cause }) })
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
    /** Connections on which a client certificate was requested. */
    const asked = new WeakSet<object>()
    mutual?.on("secureConnection", (socket: Socket) => void asked.add(socket))
    const certificate: CallerCertificate = (incoming) => (asked.has(incoming.socket) ? ofSocket(incoming) : fromProxy(incoming))
    const fieldsRead = fieldsReadOf(options.certificateProxies)
    // The listener that requests client certificates ignores proxy headers.
    const readOf = ({ socket }: IncomingMessage): ReadonlyArray<string> => (asked.has(socket) ? [] : fieldsRead(socket.remoteAddress))
    const closing = lingering(limits)
    const waiters = waitersOf()
    const gauges = { connections: () => state.connections, inFlight: () => state.answering }
    const counters = meter(yield* Effect.context<never>(), gauges, [...waiters.readings, ...(options.readings ?? [])], options.growing)
    const means = {
      basePath,
      ready: options.ready ?? (() => true),
      draining,
      readMetrics: options.metricsOfAll ?? counters.text,
      metrics: options.metrics,
      proxyReport:
        options.proxyCheck === true ? (incoming: IncomingMessage) => proxyReport(incoming, certificate, address, readOf) : undefined,
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
    const full = saidSeldom(log)
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
      arriving: arriving(limits.bodies, full),
      pipelines: pipelines(limits.pipelined, full, closing.isEnding),
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
    for (const each of servers) {
      // A fiber per request would cost as much as answering the request.
      each.on("request", onRequest)
      each.on("checkContinue", onRequest)
      // An unknown expectation may be ignored (RFC 9110 §10.1.1). Node would answer it by itself, without the fields that all answers carry.
      each.on("checkExpectation", onRequest)
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
    // Finalizers run last to first: drain, then destroy the remaining connections, then write the last log line.
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
    // Both listeners must apply the change, whatever the other returns.
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

/** Returns the TLS settings of the listener that requests client certificates; undefined if there is none. */
const askingOf = (tls: Tls | undefined, mutualTls: MutualTls | undefined): Tls | undefined =>
  tls && mutualTls && { ...tls, asks: { ca: mutualTls.ca } }

/** Returns the address on which a server listens. */
const placeOf = (server: HttpServer, scheme: string) => {
  const { address: host, port, family } = server.address() as AddressInfo
  return { host, port, url: `${scheme}://${family === "IPv6" ? `[${host}]` : host}:${port}` }
}

/** Returns `serveProvider` as a layer, for a program made of layers. */
export const providerServer = (options: ServeOptions): Layer.Layer<never, ServeError> => Layer.effectDiscard(serveProvider(options))

/**
 * Listens until the scope closes. The platform's own server would also import an HTTP client, sockets, files and processes, a third of all
 * that is loaded at startup.
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

/** Returns the path of an issuer, without a trailing slash. */
const basePathOf = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, "")

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
