import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Provider } from "@postern/core"
import type { Awaitable } from "@postern/core/ports"
import { type Answer, type Message, longestBody } from "@postern/core/wire"
import { type CallerAddress, callerAddress } from "../address.ts"
import {
  type CallerCertificate,
  type CertificateProxies,
  certificateFromProxy,
  certificateOfSocket,
  withoutCertificates,
} from "../certificates.ts"
import { defaultLimits } from "../limits.ts"
import { type Body, type Target, readBody, readTarget } from "../message.ts"
import { refusalFor } from "./refusal.ts"
import { assetRoutes } from "./assets.ts"
import { headersOf } from "./headers.ts"
import type { NodeRequest, NodeResponse } from "./pair.ts"
import { write } from "./write.ts"
import type { Asset } from "../pages/assets.ts"

/** A request listener, and a middleware: it calls `next` for what is none of the provider's. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void

/** Settings of a handler; none is needed. */
export interface NodeHandlerOptions {
  /** Addresses or networks whose `X-Forwarded-For` is believed, as `10.0.0.0/8`. Nobody's when not given: the connection's own address counts. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** Proxies that are believed about the certificates of callers (RFC 9440). Nobody when not given. */
  readonly certificateProxies?: CertificateProxies | undefined
  /**
   * True if your server asks for certificates (`requestCert`, with `rejectUnauthorized: false`) and knows authorities (`ca`): a chain that they verified counts.
   * False where it asks but knows none. Certificates of connections are not read when left out. Not beside `certificateProxies`: at one handler a certificate
   * comes from the connection or from a header, never from whichever a caller prefers (RFC 8705 §6.5). Make two handlers for two servers.
   */
  readonly clientCertificates?: boolean | undefined
  /** Longest body that is read, in bytes; 65536 when not given, and beyond it 413. */
  readonly longestBody?: number | undefined
  /** Files that pages load, served below the issuer's `assets/`: those of `liquidPages`, for example. */
  readonly assets?: ReadonlyArray<Asset> | undefined
}

/** The parts of a provider that a handler needs; the providers of several issuers have them too. */
export type Handled = Pick<Provider, "handle" | "report"> & {
  /** Reports whether an endpoint has this path, at this host where issuers are told apart by it. */
  readonly serves: (path: string, host?: string) => boolean
  /** The settings of a provider; those of several issuers have none in common. */
  readonly settings?: Pick<Provider["settings"], "issuer">
}

/**
 * Serves a provider, or those of several issuers, on a Node server of your own: `createServer(toNodeHandler(provider))`, or `app.use(toNodeHandler(provider))` before
 * anything that parses bodies. Throws for a trusted proxy that is no address, and for two sources of certificates.
 *
 * Bodies are bounded, a caller who goes away leaves nothing half done, and repeated header fields are joined, so that two `Authorization`
 * fields are no valid credentials. Time and header limits are those of your server.
 */
export const toNodeHandler = (provider: Handled, options: NodeHandlerOptions = {}): NodeHandler => {
  if (options.clientCertificates !== undefined && options.certificateProxies !== undefined)
    throw new TypeError(
      "toNodeHandler: clientCertificates and certificateProxies are two sources of certificates for the same requests (RFC 8705 §6.5): give one of them, and make a handler for each server",
    )
  const means: Means = {
    provider,
    address: callerAddress(options.trustedProxies ?? []),
    certificate:
      options.clientCertificates === undefined
        ? certificateFromProxy(options.certificateProxies)
        : certificateOfSocket(options.clientCertificates),
    longest: options.longestBody ?? longestBody,
    assetAt: assetRoutes(provider.settings?.issuer, options.assets ?? []),
  }
  return (request, response, next) => {
    // The parser reports a cut or malformed body as an error before the close; it must have a listener.
    request.on("error", ignored)
    response.on("error", ignored)
    const target = readTarget(request.originalUrl ?? request.url ?? "/")
    const asset = means.assetAt(target.path)
    if (asset !== undefined) return write(request, response, asset(request), false)
    if (next !== undefined && !provider.serves(target.path, headersOf(request.rawHeaders)["host"])) return next()
    const fail = (cause: unknown): void => failed(means, request, response, next, cause)
    try {
      const done = exchange(means, target, request, response)
      if (done !== undefined) done.then(undefined, fail)
    } catch (cause) {
      fail(cause)
    }
  }
}

interface Means {
  readonly provider: Handled
  readonly address: CallerAddress
  readonly certificate: CallerCertificate
  readonly longest: number
  readonly assetAt: ReturnType<typeof assetRoutes>
}

const ignored = (): void => undefined

const exchange = (means: Means, target: Target, request: NodeRequest, response: NodeResponse): PromiseLike<void> | undefined => {
  if ((request.url ?? "").length > defaultLimits.url) return write(request, response, refusalFor("target"), true)
  const body = bodyOf(request, means.longest)
  return "then" in body
    ? body.then((read) => answered(means, target, request, response, read))
    : answered(means, target, request, response, body)
}

/** The body, also where something kept it that read it before. Throws where it is gone. */
const bodyOf = (request: NodeRequest, longest: number): Awaitable<Body> & object => {
  // An HTTP/2 request has all that is used here.
  if (!request.readableDidRead) return readBody(request as IncomingMessage, undefined, longest)
  const kept = [request.rawBody, request.body].find((each) => typeof each === "string" || each instanceof Uint8Array)
  if (kept === undefined)
    throw new TypeError(
      "the body was read before the provider saw the request: mount toNodeHandler before body parsers (express.urlencoded), or keep the bytes as request.rawBody",
    )
  const text = typeof kept === "string" ? kept : Buffer.from(kept as Uint8Array).toString("utf8")
  return Buffer.byteLength(text) > longest ? { _tag: "TooLong" } : { _tag: "Text", text }
}

const answered = (
  { provider, address, certificate }: Means,
  { path, query }: Target,
  request: NodeRequest,
  response: NodeResponse,
  body: Body,
): PromiseLike<void> | undefined => {
  if (body._tag === "Gone") return undefined
  if (body._tag === "TooLong") return write(request, response, refusalFor("body"), true)
  const headers: IncomingHttpHeaders = headersOf(request.rawHeaders)
  const peerCertificate = certificate({ headers, socket: request.socket })
  withoutCertificates(headers)
  const message: Message = {
    method: request.method ?? "GET",
    path,
    query,
    // Each is one text by now.
    headers: headers as Message["headers"],
    body: body.text,
    address: address(request.socket?.remoteAddress, headers["x-forwarded-for"] as string | undefined),
    peerCertificate,
  }
  const answer: Awaitable<Answer> = provider.handle(message)
  return "then" in answer ? answer.then((later) => write(request, response, later, false)) : write(request, response, answer, false)
}

/** Leaves a request that cannot be answered here to the framework, or reports it and answers 500. */
const failed = (
  { provider }: Means,
  request: NodeRequest,
  response: NodeResponse,
  next: ((error?: unknown) => void) | undefined,
  cause: unknown,
): void => {
  if (next !== undefined) return next(cause)
  try {
    provider.report({ cause, uncertain: false })
  } catch {
    // A report that fails is dropped.
  }
  try {
    write(request, response, refusalFor("failed"), true)
  } catch {
    response.destroy()
  }
}
