import { createHash } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { type MemberKinds, memberFaults } from "@postern/core/options"
import { type CertificateForm, type PeerCertificate, certificateFields, certificateForms, forwardedCertificate } from "@postern/core/wire"
import { addressList } from "./address.ts"

export { type CertificateForm, certificateFields, certificateForms } from "@postern/core/wire"

/** The proxies that are trusted to forward client certificates (RFC 8705 §6.5). */
export interface CertificateProxies {
  /** The header format that they write. */
  readonly form: CertificateForm
  /** Their addresses or networks. Headers from other peers are ignored. */
  readonly from: ReadonlyArray<string>
  /** True if the proxies forward only certificates whose chain they verified, for formats that do not state it. Default: false. */
  readonly verifies?: boolean | undefined
}

/** Returns the client certificate of a request; undefined if there is none, or no source is trusted. */
export type CallerCertificate = (incoming: Pick<IncomingMessage, "headers" | "socket">) => PeerCertificate | undefined

/** The header fields that a proxy writes, by format. */
const fieldsOfForm: Readonly<Record<CertificateForm, ReadonlyArray<string>>> = {
  "client-cert": ["client-cert"],
  nginx: ["x-ssl-client-cert", "x-ssl-client-verify"],
  envoy: ["x-forwarded-client-cert"],
  haproxy: ["x-ssl-client-cert", "x-ssl-client-verify"],
  alb: ["x-amzn-mtls-clientcert", "x-amzn-mtls-clientcert-leaf"],
}

/** Returns the fields that are read from a peer; none if the peer is not listed. Throws for a proxy that is not an address or network. */
export const fieldsReadOf = (proxies: CertificateProxies | undefined): ((peer: string | undefined) => ReadonlyArray<string>) => {
  if (proxies === undefined) return () => []
  const { form, from, verifies } = proxies
  const isBelieved = addressList(from)
  const fields = form === "alb" ? [fieldsOfForm.alb[verifies === true ? 1 : 0] ?? ""] : fieldsOfForm[form]
  return (peer) => (isBelieved(peer) ? fields : [])
}

/** Removes the header fields that could be mistaken for a certificate. Trusted ones have been read before. */
export const withoutCertificates = (headers: IncomingHttpHeaders): void => {
  for (const name of certificateFields) if (headers[name] !== undefined) delete headers[name]
}

const nobody: CallerCertificate = () => undefined

const proxiesKinds: MemberKinds<CertificateProxies> = { form: "text", from: "texts", verifies: "boolean?" }

/** Returns the faults of the proxies that are trusted to forward certificates, as text. */
export const proxiesFaults = (proxies: CertificateProxies): ReadonlyArray<string> => {
  const faults = memberFaults(proxies, proxiesKinds, "certificateProxies.")
  return faults.length > 0 || certificateForms.includes(proxies.form)
    ? faults
    : [`certificateProxies.form: must be one of ${certificateForms.join(", ")}`]
}

/**
 * Reads the certificate from a proxy's header, only if the peer is listed (RFC 9440 §2.4). Throws for a proxy that is not an address or
 * network.
 */
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

/** The socket of a request. Runtimes that synthesize requests have none. */
const peerOf = (socket: Socket | undefined): Socket | undefined => socket

const isSecure = (socket: Socket): socket is TLSSocket => "getPeerX509Certificate" in socket

/** Certificates by the connection that presented them. */
const known = new WeakMap<object, PeerCertificate>()

/**
 * Reads the certificate of a TLS connection. Its chain counts as verified only if a certificate authority is configured (RFC 8705 §7.4).
 */
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
