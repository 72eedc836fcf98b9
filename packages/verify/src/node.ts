import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2"
import { BlockList, isIP } from "node:net"
import { kindFault, type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import { type Answer, type CertificateForm, type PeerCertificate, certificateForms, forwardedCertificate } from "@postern/core/wire"
import { refuseGuard } from "./guarded.ts"
import type { AccessToken, Needs, ResourceRequest, ResourceServer, Verdict } from "./index.ts"
import { passedBefore, remember } from "./remembered.ts"

export { tokenOf } from "./remembered.ts"

/**
 * A request of `node:http`, `node:https` or `node:http2`. The requests of Express and Connect are such requests, and so is `request.raw` of
 * Fastify.
 */
export type NodeRequest = (IncomingMessage | Http2ServerRequest) & {
  /** The request target before a framework removed its mount path. */
  readonly originalUrl?: string | undefined
}

/** The response that belongs to a {@link NodeRequest}. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** The proxies that are trusted to pass on client certificates (RFC 8705 §6.5, RFC 9440 §2.4). */
export interface CertificateProxies {
  /** The format of the proxies' header fields. */
  readonly form: CertificateForm
  /** Their addresses or networks, such as `10.0.0.0/8`. The header fields of other senders are ignored. */
  readonly from: ReadonlyArray<string>
  /** True if they verify certificate chains. This only affects `alb`, which then sends another header field. Default: false. */
  readonly verifies?: boolean | undefined
}

/** Options for a server on Node. */
export interface NodeOptions {
  /** Proxies that terminate mutual TLS. By default, only the connection's own certificate counts. */
  readonly certificateProxies?: CertificateProxies | undefined
}

const proxyKinds: MemberKinds<CertificateProxies> = { form: "text", from: "texts", verifies: "boolean?" }

/**
 * Makes the function that converts requests. Certificates come from the connection or from a listed proxy's header fields. Throws for
 * unknown or invalid options.
 */
export const requestReader = (options: NodeOptions = {}): ((request: NodeRequest) => ResourceRequest) => {
  refuseFaults("@postern/verify", memberFaults(options, { certificateProxies: "object?" }))
  const { certificateProxies } = options
  const faults = certificateProxies ? [...memberFaults(certificateProxies, proxyKinds, "certificateProxies.")] : []
  if (certificateProxies && !certificateForms.includes(certificateProxies.form))
    faults.push("certificateProxies.form: is no form of a proxy")
  if (faults.length === 0)
    for (const entry of certificateProxies?.from ?? [])
      if (senderOf(entry) === undefined) faults.push(`certificateProxies.from: "${entry}" is neither an IP address nor a network`)
  refuseFaults("@postern/verify", faults)
  const certificate = certificateProxies === undefined ? ofConnection : fromProxy(certificateProxies)
  return (request) => {
    const target = request.originalUrl ?? request.url ?? "/"
    // A proxy may send the absolute form. Its host is not trusted (RFC 9112 §3.2.2).
    const origin = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "")
    const at = origin.indexOf("?")
    const path = at < 0 ? origin : origin.slice(0, at)
    const headers = headersOf(request.rawHeaders)
    return {
      method: request.method ?? "GET",
      path: path === "" ? "/" : path,
      query: at < 0 ? "" : origin.slice(at + 1),
      headers,
      peerCertificate: certificate(request, headers),
    }
  }
}

/**
 * Groups header fields by lower-case name and joins repeated ones. Node's own `headers` keeps only the first of several `Authorization`
 * fields.
 */
const headersOf = (raw: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase()
    const before = headers.get(name)
    headers.set(name, before === undefined ? (raw[at + 1] ?? "") : `${before}, ${raw[at + 1] ?? ""}`)
  }
  return Object.fromEntries(headers)
}

type Certificate = (request: NodeRequest, headers: ResourceRequest["headers"]) => PeerCertificate | undefined

/**
 * Reads the certificate of the connection. A bound token requires no verified chain (RFC 8705 §3), because its digest identifies the
 * certificate.
 */
const ofConnection: Certificate = ({ socket }) => {
  if (!("getPeerX509Certificate" in socket) || typeof socket.getPeerX509Certificate !== "function") return undefined
  const raw = (socket.getPeerX509Certificate() as { readonly raw: Uint8Array } | undefined)?.raw
  return raw && { der: new Uint8Array(raw), verified: false }
}

/** An address, or a network with the length of its prefix. */
interface Sender {
  readonly address: string
  readonly bits: number
  readonly family: "ipv4" | "ipv6"
}

/** Reads an address or a network. Undefined for anything else: `Number` reads the prefix of `10.0.0.0/` as 0, which means everybody. */
const senderOf = (entry: string): Sender | undefined => {
  const [, address = "", prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const version = isIP(address)
  const longest = version === 6 ? 128 : 32
  const bits = prefix === undefined ? longest : Number(prefix)
  return version === 0 || bits > longest ? undefined : { address, bits, family: version === 6 ? "ipv6" : "ipv4" }
}

const fromProxy = ({ form, from, verifies = false }: CertificateProxies): Certificate => {
  const believed = new BlockList()
  for (const entry of from) {
    const sender = senderOf(entry)
    if (sender !== undefined) believed.addSubnet(sender.address, sender.bits, sender.family)
  }
  return ({ socket }, headers) => {
    const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "") ?? ""
    if (isIP(peer) === 0 || !believed.check(peer, isIP(peer) === 6 ? "ipv6" : "ipv4")) return undefined
    const found = forwardedCertificate(headers, form, verifies)
    if (found?.hash === undefined) return found
    return createHash("sha256").update(found.der).digest("hex") === found.hash ? found : undefined
  }
}

/** Writes a response. */
export const writeAnswer = (response: NodeResponse, answer: Answer): void => {
  refuseFaults(
    "@postern/verify",
    partFaults("response", response, { setHeader: "function", end: "function" }, "ServerResponse"),
    partFaults("answer", answer, { status: "number", headers: "list", body: "text" }, "Answer"),
  )
  const { status, headers, body } = answer
  if (response.destroyed || response.headersSent) return
  response.statusCode = status
  setHeaders(response, headers)
  // Both types of response have the same `end`.
  ;(response as ServerResponse).end(body)
}

/** Sets the header fields of a verdict. */
export const setHeaders = (response: NodeResponse, headers: Answer["headers"]): void => {
  refuseFaults(
    "@postern/verify",
    partFaults("response", response, { setHeader: "function" }, "ServerResponse"),
    kindFault("headers", headers, "list"),
  )
  const grouped = new Map<string, Array<string>>()
  for (const [name, value] of headers) grouped.set(name, [...(grouped.get(name) ?? []), value])
  for (const [name, values] of grouped) response.setHeader(name, values.length === 1 ? (values[0] ?? "") : values)
}

/** Answers a request whose token is valid. */
export type NodeOperation<Request extends NodeRequest = IncomingMessage, Response extends NodeResponse = ServerResponse> = (
  request: Request,
  response: Response,
  token: AccessToken,
) => unknown

/** The answer to an internal error. It lets no request pass. */
const failed: Answer = { status: 500, headers: [["cache-control", "no-store"]], body: "" }

/**
 * Guards an operation: `createServer(protect(api, { scope: "read" }, (request, response, token) => …))`. Requests without a valid token are
 * answered here, and so are requests for the metadata of the resource (RFC 9728). If no verdict can be reached or the operation throws, the
 * response has status 500.
 */
export const protect = <Request extends NodeRequest = IncomingMessage, Response extends NodeResponse = ServerResponse>(
  server: ResourceServer,
  needs: Needs,
  operation: NodeOperation<Request, Response>,
  options: NodeOptions = {},
): ((request: Request, response: Response) => void) => {
  refuseGuard(server, needs, kindFault("operation", operation, "function"))
  const read = requestReader(options)
  const answer = async (request: Request, response: Response): Promise<void> => {
    const message = read(request)
    const metadata = server.metadataFor(message)
    if (metadata !== undefined) return writeAnswer(response, metadata)
    const verdict: Verdict = await server.verify(message, needs, passedBefore(request, server))
    if (verdict.refused !== undefined) return writeAnswer(response, verdict.refused.answer)
    setHeaders(response, verdict.headers)
    remember(request, server, verdict)
    await operation(request, response, verdict.ok)
  }
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      writeAnswer(response, failed)
      console.error(error)
    })
  }
}
