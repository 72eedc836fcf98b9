import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Provider } from "@postern/core"
import type { Awaitable } from "@postern/core/ports"
import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import { type Answer, type Message, longestBody } from "@postern/core/wire"
import { type CallerAddress, callerAddress } from "../address.ts"
import {
  type CallerCertificate,
  type CertificateProxies,
  certificateFromProxy,
  certificateOfSocket,
  proxiesFaults,
  withoutCertificates,
} from "../certificates.ts"
import { defaultLimits } from "../limits.ts"
import { type Arriving, arriving } from "../arriving.ts"
import { type Body, type Target, readBody, readTarget } from "../message.ts"
import { refusalFor } from "./refusal.ts"
import { assetRoutes } from "./assets.ts"
import { headersOf } from "./headers.ts"
import type { NodeRequest, NodeResponse } from "./pair.ts"
import { write } from "./write.ts"
import type { Asset } from "../pages/assets.ts"

/** A request listener and middleware. It calls `next` for requests that are not the provider's. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void

/** Settings of a handler; all are optional. */
export interface NodeHandlerOptions {
  /**
   * Addresses or networks, such as `10.0.0.0/8`, whose `X-Forwarded-For` is trusted. Default: none, so the connection's peer address is
   * used.
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** Proxies that are trusted to forward client certificates (RFC 9440). Default: none. */
  readonly certificateProxies?: CertificateProxies | undefined
  /**
   * Reads client certificates from TLS connections. Set it to true if your server requests certificates (`requestCert`, with
   * `rejectUnauthorized: false`) and has authorities (`ca`), so that a chain they verified counts. Set it to false if it requests them but
   * has no authorities. Certificates of connections are not read when not given. Cannot be combined with `certificateProxies`, because one
   * handler takes certificates either from the connection or from a header, never from whichever the caller prefers (RFC 8705 §6.5). Create
   * two handlers for two servers.
   */
  readonly clientCertificates?: boolean | undefined
  /** The maximum body size in bytes; a longer one is answered 413. Default: 65536. */
  readonly longestBody?: number | undefined
  /** Files that pages load, served below the issuer's `assets/`, such as those of `liquidPages`. */
  readonly assets?: ReadonlyArray<Asset> | undefined
}

const kinds: MemberKinds<NodeHandlerOptions> = {
  trustedProxies: "texts?",
  certificateProxies: "object?",
  clientCertificates: "boolean?",
  longestBody: "number?",
  assets: "objects?",
}

/** The members of a provider that a handler needs. The providers of several issuers have them too. */
export type Handled = Pick<Provider, "handle" | "report"> & {
  /** Reports whether an endpoint has this path, on this host if issuers are distinguished by host. */
  readonly serves: (path: string, host?: string) => boolean
  /** Finds the endpoint of a path, so that scripts of other origins may read refusals in its place (Fetch §3.2). */
  readonly endpointAt?: Provider["endpointAt"]
  /** The settings of a provider. The providers of several issuers have no common ones. */
  readonly settings?: Pick<Provider["settings"], "issuer">
}

/**
 * Serves a provider, or the providers of several issuers, on your own Node server: `createServer(toNodeHandler(provider))`, or `app.use(toNodeHandler(provider))` before any body parser. Throws for a trusted proxy that is not an address or network, and for two sources of certificates.
 * Bodies are limited in size, a caller's disconnect leaves no state change incomplete, and repeated header fields are joined, so that two `Authorization` fields are not valid credentials. Time and header limits are those of your server.
 */
export const toNodeHandler = (provider: Handled, options: NodeHandlerOptions = {}): NodeHandler => {
  const unfit = memberFaults(options, kinds)
  refuseFaults(
    "toNodeHandler",
    partFaults("provider", provider, { handle: "function", serves: "function", report: "function" }, "Provider"),
    unfit,
    unfit.length > 0 || options.certificateProxies === undefined ? undefined : proxiesFaults(options.certificateProxies),
  )
  if (options.clientCertificates !== undefined && options.certificateProxies !== undefined)
    throw new TypeError(
      "toNodeHandler: clientCertificates and certificateProxies are two sources of certificates for the same requests (RFC 8705 §6.5): give one of them, and make a handler for each server",
    )
  const longest = options.longestBody ?? longestBody
  const means: Means = {
    provider,
    address: callerAddress(options.trustedProxies ?? []),
    certificate:
      options.clientCertificates === undefined
        ? certificateFromProxy(options.certificateProxies)
        : certificateOfSocket(options.clientCertificates),
    longest,
    arriving: arriving(Math.max(defaultLimits.bodies, longest), ignored),
    assetAt: assetRoutes(provider.settings?.issuer, options.assets ?? []),
  }
  return (request, response, next) => {
    // The parser emits an error before the close for a truncated or malformed body, and an unhandled error event would throw.
    request.on("error", ignored)
    response.on("error", ignored)
    const target = readTarget(request.originalUrl ?? request.url ?? "/")
    const asset = means.assetAt(target.path)
    if (asset === undefined && next !== undefined && !provider.serves(target.path, headersOf(request.rawHeaders)["host"])) return next()
    const fail = (cause: unknown): void => failed(means, target, request, response, next, cause)
    if (isBegun(response))
      return fail(
        new TypeError(
          "an answer was begun before the provider saw the request: mount toNodeHandler before what writes answers, or return there",
        ),
      )
    if (asset !== undefined) return write(request, response, asset(request), false)
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
  readonly arriving: Arriving
  readonly assetAt: ReturnType<typeof assetRoutes>
}

const ignored = (): void => undefined

/** Reports whether other code has sent a header and not ended the answer: nothing could be answered, and the caller would wait forever. */
const isBegun = (response: NodeResponse): boolean => response.headersSent && !response.writableEnded

const exchange = (means: Means, target: Target, request: NodeRequest, response: NodeResponse): PromiseLike<void> | undefined => {
  if ((request.url ?? "").length > defaultLimits.url) return write(request, response, refused(means, target.path, "target"), true)
  const body = bodyOf(request, means)
  return "then" in body
    ? body.then((read) => answered(means, target, request, response, read))
    : answered(means, target, request, response, body)
}

/** Returns the body, also if an earlier parser has read and kept it. Throws if it was read and not kept. */
const bodyOf = (request: NodeRequest, { longest, arriving }: Means): Awaitable<Body> & object => {
  // An HTTP/2 request has all members that are used here.
  if (!request.readableDidRead) return readBody(request as IncomingMessage, undefined, longest, arriving)
  const kept = [request.rawBody, request.body].find((each) => typeof each === "string" || each instanceof Uint8Array)
  if (kept === undefined)
    throw new TypeError(
      "the body was read before the provider saw the request: mount toNodeHandler before body parsers (express.urlencoded), or keep the bytes as request.rawBody",
    )
  const text = typeof kept === "string" ? kept : Buffer.from(kept as Uint8Array).toString("utf8")
  return Buffer.byteLength(text) > longest ? { _tag: "TooLong" } : { _tag: "Text", text }
}

const refused = ({ provider }: Pick<Means, "provider">, path: string, reason: Parameters<typeof refusalFor>[0]): Answer =>
  refusalFor(reason, provider.endpointAt?.(path)?.headers)

const answered = (
  { provider, address, certificate }: Means,
  { path, query }: Target,
  request: NodeRequest,
  response: NodeResponse,
  body: Body,
): PromiseLike<void> | undefined => {
  if (body._tag === "Gone") return undefined
  if (body._tag === "TooLong") return write(request, response, refused({ provider }, path, "body"), true)
  if (body._tag === "Coded") return write(request, response, refused({ provider }, path, "coding"), true)
  if (body._tag === "Crowded") return write(request, response, refused({ provider }, path, "bodies"), true)
  const headers: IncomingHttpHeaders = headersOf(request.rawHeaders)
  const peerCertificate = certificate({ headers, socket: request.socket })
  withoutCertificates(headers)
  const message: Message = {
    method: request.method ?? "GET",
    path,
    query,
    // Each value is a single string at this point.
    headers: headers as Message["headers"],
    body: body.text,
    address: address(request.socket?.remoteAddress, headers["x-forwarded-for"] as string | undefined),
    peerCertificate,
  }
  const answer: Awaitable<Answer> = provider.handle(message)
  return "then" in answer ? answer.then((later) => write(request, response, later, false)) : write(request, response, answer, false)
}

/** Passes a failed request to the framework if there is one; otherwise reports the failure and answers 500. */
const failed = (
  { provider }: Means,
  { path }: Target,
  request: NodeRequest,
  response: NodeResponse,
  next: ((error?: unknown) => void) | undefined,
  cause: unknown,
): void => {
  if (next !== undefined) return next(cause)
  try {
    provider.report({ cause, uncertain: false })
  } catch {
    // A failing report is ignored.
  }
  try {
    if (isBegun(response)) response.destroy()
    else write(request, response, refused({ provider }, path, "failed"), true)
  } catch {
    response.destroy()
  }
}
