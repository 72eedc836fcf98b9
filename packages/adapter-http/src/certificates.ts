import { createHash } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { type CertificateForm, type PeerCertificate, certificateFields, forwardedCertificate } from "@postern/core/wire"
import { addressList } from "./address.ts"

export { type CertificateForm, certificateFields, certificateForms } from "@postern/core/wire"

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

/** The fields that a proxy writes, by its form. */
const fieldsOfForm: Readonly<Record<CertificateForm, ReadonlyArray<string>>> = {
  "client-cert": ["client-cert"],
  nginx: ["x-ssl-client-cert", "x-ssl-client-verify"],
  envoy: ["x-forwarded-client-cert"],
  haproxy: ["x-ssl-client-cert", "x-ssl-client-verify"],
  alb: ["x-amzn-mtls-clientcert", "x-amzn-mtls-clientcert-leaf"],
}

/** The fields that are read of a peer; none of one that is not listed. Throws for a proxy that is no address. */
export const fieldsReadOf = (proxies: CertificateProxies | undefined): ((peer: string | undefined) => ReadonlyArray<string>) => {
  if (proxies === undefined) return () => []
  const { form, from, verifies } = proxies
  const isBelieved = addressList(from)
  const fields = form === "alb" ? [fieldsOfForm.alb[verifies === true ? 1 : 0] ?? ""] : fieldsOfForm[form]
  return (peer) => (isBelieved(peer) ? fields : [])
}

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
  return ({ headers, socket }) => {
    if (!isBelieved(peerOf(socket)?.remoteAddress)) return undefined
    const found = forwardedCertificate(headers, form, verifies)
    if (found === undefined) return undefined
    const { der, verified, hash } = found
    return hash === undefined || createHash("sha256").update(der).digest("hex") === hash ? { der, verified } : undefined
  }
}

/** The socket of a request. Runtimes that make requests up have none. */
const peerOf = (socket: Socket | undefined): Socket | undefined => socket

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
