import { readFileSync, statSync } from "node:fs"
import { type Server as HttpServer, type ServerOptions, createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { Server as NetServer } from "node:net"
import type { SecureContextOptions } from "node:tls"
import type { Limits } from "./limits.ts"

/** Files of a certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

/** A node server within the limits, not yet listening. What its parser refuses is answered in `unparsed.ts`. */
export const listener = (limits: Limits, tls: TlsFiles | undefined): HttpServer => {
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
      : createSecureServer({ ...options, ...secureContext(tls), handshakeTimeout: limits.headersTime })
  // Those beyond the limit are answered; beyond this even that is too much.
  server.maxConnections = limits.connections + limits.lingerConnections
  server.timeout = limits.idle
  return server
}

/** Stops accepting connections and leaves those there are; the server's own `close` would cut the idle ones at once. */
export const stopAccepting = (server: HttpServer): void => {
  if (server.listening) NetServer.prototype.close.call(server)
}

/**
 * Takes up a renewed certificate. Gives back a check to be run now and then, which answers whether the files had changed; they may be others
 * from some call on.
 */
export const renewal = (server: HttpServer, first: TlsFiles): ((files?: TlsFiles) => boolean) => {
  const stamp = ({ key, cert }: TlsFiles): string => [key, cert].map((file) => `${file} ${statSync(file).mtimeMs}`).join(" ")
  let files = first
  let seen = stamp(files)
  return (others = files) => {
    const now = stamp(others)
    if (now === seen) return false
    // Both must fit together; a half-written pair throws here and is tried again later.
    if ("setSecureContext" in server && typeof server.setSecureContext === "function") server.setSecureContext(secureContext(others))
    files = others
    seen = now
    return true
  }
}

const secureContext = (tls: TlsFiles): SecureContextOptions => ({
  key: readFileSync(tls.key),
  cert: readFileSync(tls.cert),
  minVersion: "TLSv1.2",
})
