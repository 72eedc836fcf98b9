import { constants } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { type Server as HttpServer, type ServerOptions, createServer } from "node:http"
import { createServer as createSecureServer, type Server as SecureServer } from "node:https"
import { Server as NetServer } from "node:net"
import type { SecureContextOptions } from "node:tls"
import type { Limits } from "./limits.ts"
import { sessionLifetime, ticketKeys, type TicketSecret, ticketSecretAt } from "./tickets.ts"

/** Paths of a certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

/** Creates a Node server with these limits, not yet listening. Input that its parser rejects is answered in `unparsed.ts`. */
export const listener = (limits: Limits, tls: Tls | undefined): HttpServer => {
  const options: ServerOptions = {
    maxHeaderSize: limits.headers,
    headersTimeout: limits.headersTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.max(50, Math.min(1_000, limits.headersTime / 4)),
    insecureHTTPParser: false,
    // Such a request is refused with its rule and a trail, like any other Host that is none.
    requireHostHeader: false,
    noDelay: true,
    // Two `Authorization` headers must not pass as one. Joined, they are not valid credentials.
    joinDuplicateHeaders: true,
    // No protocol upgrade is supported, so such a request is answered as a plain one.
    shouldUpgradeCallback: () => false,
  }
  const server =
    tls === undefined
      ? createServer(options)
      : createSecureServer({
          ...options,
          ...secureContext(tls),
          // Clients with self-signed certificates are accepted too, because later rules validate them (RFC 8705 §2.2, §6.1).
          ...(tls.asks === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
          ALPNProtocols: ["http/1.1"],
          handshakeTimeout: limits.headersTime,
        })
  // Connections beyond the limit are answered 503; beyond this number they are dropped without an answer.
  server.maxConnections = limits.connections + limits.lingerConnections
  // Without it, a worker that is full returns a connection to the main process, which passes it to the next worker, in an endless loop.
  // Node supports it since 22.12; its types do not declare it yet.
  Object.assign(server, { dropMaxConnection: true })
  // A caller that has closed its write side may still read, so the answer to its complete request is sent. Node's types do not declare this
  // option either.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.timeout = limits.idle
  return server
}

/** Stops accepting connections and keeps the open ones. The server's own `close` would close idle ones at once. */
export const stopAccepting = (server: HttpServer): void => {
  if (server.listening) NetServer.prototype.close.call(server)
}

/** The certificate files and the secret of session tickets. */
export interface Tls {
  readonly files: TlsFiles
  /** The secret of the current period; the previous one is not kept. */
  tickets: TicketSecret
  /** Requests client certificates. No certificates are requested when not given. */
  readonly asks?: ClientAuthorities | undefined
}

/** The certificate authorities of client certificates. */
export interface ClientAuthorities {
  /** A file of certificates in PEM. When undefined there are none, so that only self-signed certificates are accepted. */
  readonly ca: string | undefined
}

/**
 * Applies a renewed certificate, and new session-ticket keys when they are due. Returns a check to be run periodically, which reports
 * whether the files had changed. A call may give other files, which are used from then on.
 */
export const renewal = (server: HttpServer, tls: Tls, clock: () => number): ((files?: TlsFiles) => boolean) => {
  const { asks } = tls
  const stamp = ({ key, cert }: TlsFiles): string =>
    [key, cert, ...(asks?.ca === undefined ? [] : [asks.ca])].map((file) => `${file} ${statSync(file).mtimeMs}`).join(" ")
  let { files } = tls
  let seen = stamp(files)
  // A node:cluster worker has received the keys of the worker that listened first, which may belong to an earlier period.
  if (isSecure(server)) server.setTicketKeys(ticketKeys(tls.tickets, readFileSync(files.cert, "utf8")))
  return (others = files) => {
    const now = stamp(others)
    const due = ticketSecretAt(tls.tickets, clock())
    if (now === seen && due.period === tls.tickets.period) return false
    // The certificate and the key must match. A half-written pair throws here and is retried later.
    if (isSecure(server)) server.setSecureContext(secureContext({ files: others, tickets: due, asks }))
    const renewed = now !== seen
    files = others
    tls.tickets = due
    seen = now
    return renewed
  }
}

const isSecure = (server: HttpServer): server is SecureServer => "setSecureContext" in server

/**
 * The TLS 1.3 cipher suites and the four recommended ones of TLS 1.2, the only ones FAPI permits there (RFC 9325 §4.2, FAPI 2.0 Security
 * Profile §5.2.2).
 */
const ciphers = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "ECDHE+AESGCM"].join(":")

const secureContext = ({ files, tickets, asks }: Tls): SecureContextOptions => {
  const [key, cert] = [readFileSync(files.key), readFileSync(files.cert, "utf8")]
  return {
    key,
    cert,
    minVersion: "TLSv1.2",
    ciphers,
    // Otherwise a client could request unlimited handshakes on one connection (RFC 9325 §3.5).
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(asks && {
      // The system's authorities would vouch for any subject name (RFC 8705 §7.4).
      ca: asks.ca === undefined ? [] : readFileSync(asks.ca),
      // A resumed session would keep the verification result of a certificate, and a session of another listener contains no certificate.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    }),
    sessionIdContext: asks === undefined ? "postern" : "postern mutual TLS",
    sessionTimeout: sessionLifetime,
    ticketKeys: ticketKeys(tickets, cert),
  }
}
