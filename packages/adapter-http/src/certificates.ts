import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import type { PeerCertificate } from "@postern/core/wire"
import { addressList } from "./address.ts"
import { longestHeader, ofAlbChain, ofAlbLeaf, ofClientCert, ofHaproxy, ofNginx, ofXfcc } from "./certificateHeaders.ts"

/** The forms in which proxies write the certificate of a caller: RFC 9440's, and those of nginx, Envoy, HAProxy and Amazon's load balancer. */
export const certificateForms = ["client-cert", "nginx", "envoy", "haproxy", "alb"] as const

/** The form of a proxy's header. */
export type CertificateForm = (typeof certificateForms)[number]

/** The proxies that are believed about the certificates of callers (RFC 8705 §6.5). */
export interface CertificateProxies {
  /** The form that they write. */
  readonly form: CertificateForm
  /** Their addresses or networks: nobody else's header counts. */
  readonly from: ReadonlyArray<string>
  /** True if they let no certificate pass whose chain they did not verify; for forms that do not tell it. False when left out. */
  readonly verifies?: boolean | undefined
}

/** Finds the certificate of a request's caller; undefined where it shows none, or nobody is believed. */
export type CallerCertificate = (incoming: Pick<IncomingMessage, "headers" | "socket">) => PeerCertificate | undefined

/** Header fields that could be taken for a certificate. */
export const certificateFields: ReadonlyArray<string> = [
  "client-cert",
  "client-cert-chain",
  "x-ssl-client-cert",
  "x-ssl-client-verify",
  "x-forwarded-client-cert",
  "x-amzn-mtls-clientcert",
  "x-amzn-mtls-clientcert-leaf",
]

/** Takes from a request the fields that could be taken for a certificate: whatever was to be believed of them was read before. */
export const withoutCertificates = (headers: IncomingHttpHeaders): void => {
  for (const name of certificateFields) if (headers[name] !== undefined) delete headers[name]
}

const nobody: CallerCertificate = () => undefined

/** Reads the certificate from a proxy's header, of listed peers alone (RFC 9440 §2.4). Throws for a proxy that is no address. */
export const certificateFromProxy = (proxies: CertificateProxies | undefined): CallerCertificate => {
  if (proxies === undefined) return nobody
  const { form, from, verifies = false } = proxies
  const isBelieved = addressList(from)
  const read = readers[form]
  return ({ headers, socket }) => {
    if (!isBelieved(peerOf(socket)?.remoteAddress)) return undefined
    const field = (name: string): string | undefined => {
      const value = headers[name]
      return typeof value === "string" && value.length <= longestHeader ? value : undefined
    }
    return read(field, verifies)
  }
}

/** The socket of a request. Runtimes that make requests up have none. */
const peerOf = (socket: Socket | undefined): Socket | undefined => socket

type Field = (name: string) => string | undefined

const shown = (der: Uint8Array | undefined, verified: boolean): PeerCertificate | undefined => der && { der, verified }

const readers: Readonly<Record<CertificateForm, (field: Field, verifies: boolean) => PeerCertificate | undefined>> = {
  "client-cert": (field, verifies) => shown(ofClientCert(field("client-cert")), verifies),
  nginx: (field) => shown(ofNginx(field("x-ssl-client-cert")), field("x-ssl-client-verify") === "SUCCESS"),
  envoy: (field, verifies) => shown(ofXfcc(field("x-forwarded-client-cert")), verifies),
  haproxy: (field) => shown(ofHaproxy(field("x-ssl-client-cert")), field("x-ssl-client-verify") === "0"),
  // The balancer writes one of the two by its mode: what comes under the other name, its caller has sent.
  alb: (field, verifies) =>
    verifies ? shown(ofAlbLeaf(field("x-amzn-mtls-clientcert-leaf")), true) : shown(ofAlbChain(field("x-amzn-mtls-clientcert")), false),
}

const isSecure = (socket: Socket): socket is TLSSocket => "getPeerX509Certificate" in socket

/** Certificates by the connection that showed them. */
const known = new WeakMap<object, PeerCertificate>()

/** Reads the certificate of a TLS connection. Its chain counts as verified only where an authority is configured (RFC 8705 §7.4). */
export const certificateOfSocket =
  (hasAuthority: boolean): CallerCertificate =>
  ({ socket: shownBy }) => {
    const socket = peerOf(shownBy)
    if (socket === undefined) return undefined
    const before = known.get(socket)
    if (before !== undefined) return before
    if (!isSecure(socket)) return undefined
    const raw = socket.getPeerX509Certificate()?.raw
    if (raw === undefined) return undefined
    const certificate = { der: new Uint8Array(raw), verified: hasAuthority && socket.authorized }
    known.set(socket, certificate)
    return certificate
  }
