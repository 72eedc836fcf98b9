import { constants } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { type Server as HttpServer, type ServerOptions, createServer } from "node:http"
import { createServer as createSecureServer, type Server as SecureServer } from "node:https"
import { Server as NetServer } from "node:net"
import type { SecureContextOptions } from "node:tls"
import type { Limits } from "./limits.ts"
import { sessionLifetime, ticketKeys, type TicketSecret, ticketSecretAt } from "./tickets.ts"

/** Files of a certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

/** A node server within the limits, not yet listening. What its parser refuses is answered in `unparsed.ts`. */
export const listener = (limits: Limits, tls: Tls | undefined): HttpServer => {
  const options: ServerOptions = {
    maxHeaderSize: limits.headers,
    headersTimeout: limits.headersTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.max(50, Math.min(1_000, limits.headersTime / 4)),
    insecureHTTPParser: false,
    requireHostHeader: true,
    noDelay: true,
    // Two `Authorization` headers must not pass as one: joined, they are no valid credentials.
    joinDuplicateHeaders: true,
    // There is nothing to upgrade to: such a request is answered as if it had not asked.
    shouldUpgradeCallback: () => false,
  }
  const server =
    tls === undefined
      ? createServer(options)
      : createSecureServer({
          ...options,
          ...secureContext(tls),
          // Clients whose certificates are of their own making are let in too: rules judge them (RFC 8705 §2.2, §6.1).
          ...(tls.asks === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
          ALPNProtocols: ["http/1.1"],
          handshakeTimeout: limits.headersTime,
        })
  // Those beyond the limit are answered; beyond this even that is too much.
  server.maxConnections = limits.connections + limits.lingerConnections
  // A worker process that is full would send a connection back to the main process, and that to the next, around and around.
  // Node knows it since 22.12; its types do not yet.
  Object.assign(server, { dropMaxConnection: true })
  // A caller that says nothing more may still read: the answer to its whole request is not cut off. Node's types do not know this one either.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.timeout = limits.idle
  return server
}

/** Stops accepting connections and leaves those there are; the server's own `close` would cut the idle ones at once. */
export const stopAccepting = (server: HttpServer): void => {
  if (server.listening) NetServer.prototype.close.call(server)
}

/** Files of the certificate, and the secret of session tickets. */
export interface Tls {
  readonly files: TlsFiles
  /** Of the period that has begun: the one before is kept nowhere. */
  tickets: TicketSecret
  /** Asks clients for certificates; nobody is asked when left out. */
  readonly asks?: ClientAuthorities | undefined
}

/** The authorities of clients' certificates. */
export interface ClientAuthorities {
  /** A file of certificates in PEM; none is known when undefined, so that only self-signed certificates count. */
  readonly ca: string | undefined
}

/**
 * Takes up a renewed certificate, and other keys of session tickets when they are due. Returns a check to be run now and then, which answers whether
 * the files had changed; they may be others from some call on.
 */
export const renewal = (server: HttpServer, tls: Tls, clock: () => number): ((files?: TlsFiles) => boolean) => {
  const { asks } = tls
  const stamp = ({ key, cert }: TlsFiles): string =>
    [key, cert, ...(asks?.ca === undefined ? [] : [asks.ca])].map((file) => `${file} ${statSync(file).mtimeMs}`).join(" ")
  let { files } = tls
  let seen = stamp(files)
  // A worker of node:cluster has been given the keys of the one that listened first, which may be of an earlier period.
  if (isSecure(server)) server.setTicketKeys(ticketKeys(tls.tickets, readFileSync(files.cert, "utf8")))
  return (others = files) => {
    const now = stamp(others)
    const due = ticketSecretAt(tls.tickets, clock())
    if (now === seen && due.period === tls.tickets.period) return false
    // Both must fit together; a half-written pair throws here and is tried again later.
    if (isSecure(server)) server.setSecureContext(secureContext({ files: others, tickets: due, asks }))
    const renewed = now !== seen
    files = others
    tls.tickets = due
    seen = now
    return renewed
  }
}

const isSecure = (server: HttpServer): server is SecureServer => "setSecureContext" in server

/** Cipher suites of TLS 1.3, and the four of TLS 1.2 that are recommended: FAPI permits no others there (RFC 9325 §4.2, FAPI 2.0 Security Profile §5.2.2). */
const ciphers = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "ECDHE+AESGCM"].join(":")

const secureContext = ({ files, tickets, asks }: Tls): SecureContextOptions => {
  const [key, cert] = [readFileSync(files.key), readFileSync(files.cert, "utf8")]
  return {
    key,
    cert,
    minVersion: "TLSv1.2",
    ciphers,
    // A client could ask for handshakes without end on one connection (RFC 9325 §3.5).
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(asks && {
      // The authorities that the system knows would vouch for anybody's name (RFC 8705 §7.4).
      ca: asks.ca === undefined ? [] : readFileSync(asks.ca),
      // A resumed session would keep the verdict on a certificate, and one of another listener has none.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    }),
    sessionIdContext: asks === undefined ? "postern" : "postern mutual TLS",
    sessionTimeout: sessionLifetime,
    ticketKeys: ticketKeys(tickets, cert),
  }
}
