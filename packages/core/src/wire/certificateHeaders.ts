import { decodeBase64Url, encodeBase64Url } from "./base64url.ts"
import type { PeerCertificate } from "./message.ts"

/**
 * The forms in which proxies forward the certificate of a caller: RFC 9440's, and those of nginx, Envoy, HAProxy and Amazon's load
 * balancer.
 */
export const certificateForms = ["client-cert", "nginx", "envoy", "haproxy", "alb"] as const

/** The form of a proxy's header. */
export type CertificateForm = (typeof certificateForms)[number]

/** Header fields that could be mistaken for a certificate. */
export const certificateFields: ReadonlyArray<string> = [
  "client-cert",
  "client-cert-chain",
  "x-ssl-client-cert",
  "x-ssl-client-verify",
  "x-forwarded-client-cert",
  "x-amzn-mtls-clientcert",
  "x-amzn-mtls-clientcert-leaf",
]

/** The maximum length of a header with a certificate, in characters. */
const longestHeader = 32_768

/** A certificate from a proxy's header. */
export interface ForwardedCertificate extends PeerCertificate {
  /** The SHA-256 digest that the header also states, in hexadecimal. The certificate is accepted only with this digest. */
  readonly hash?: string | undefined
}

type Field = (name: string) => string | undefined

/**
 * Reads the certificate from a proxy's headers of a given form; undefined if there is none or it cannot be parsed. The caller must trust
 * the sender of the headers. `verifies` is true if the proxy passes only certificates with a verified chain, for forms that do not state
 * it.
 */
export const forwardedCertificate = (
  headers: Readonly<Record<string, unknown>>,
  form: CertificateForm,
  verifies: boolean,
): ForwardedCertificate | undefined =>
  readers[form]((name) => {
    const value = headers[name]
    return typeof value === "string" && value.length <= longestHeader ? value : undefined
  }, verifies)

/** Decodes base64 with padding; undefined for anything else (RFC 4648 §4). */
const base64 = (text: string): Uint8Array | undefined => {
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const url = text.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_")
  const bytes = decodeBase64Url(url)
  // Unused trailing bits could differ without changing the meaning.
  return bytes !== undefined && encodeBase64Url(bytes) === url ? bytes : undefined
}

const endOfPem = "-----END CERTIFICATE-----"

/** Decodes the single certificate in a PEM text (RFC 7468 §5); undefined for none, for several and for additional text. */
const pem = (text: string): Uint8Array | undefined => {
  const [begin, end] = ["-----BEGIN CERTIFICATE-----", endOfPem]
  const trimmed = text.trim()
  if (!trimmed.startsWith(begin) || !trimmed.endsWith(end)) return undefined
  return base64(trimmed.slice(begin.length, -end.length).replace(/\s/g, ""))
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Decodes percent-encoded PEM. */
const escapedPem = (text: string | undefined): Uint8Array | undefined => {
  const read = text === undefined ? undefined : decoded(text)
  return read === undefined ? undefined : pem(read)
}

/** Reads `Client-Cert` of RFC 9440 §2.2: one byte sequence of structured fields, without parameters. */
export const ofClientCert = (value: string | undefined): Uint8Array | undefined => {
  const trimmed = value?.trim() ?? ""
  return trimmed.length > 2 && trimmed.startsWith(":") && trimmed.endsWith(":") ? base64(trimmed.slice(1, -1)) : undefined
}

/** Reads `$ssl_client_escaped_cert` of nginx: percent-encoded PEM. */
export const ofNginx = escapedPem

/** Reads `%[ssl_c_der,base64]` of HAProxy. */
export const ofHaproxy = (value: string | undefined): Uint8Array | undefined => (value === undefined ? undefined : base64(value))

/** Reads `X-Amzn-Mtls-Clientcert-Leaf` of Amazon's load balancer: percent-encoded PEM with some characters left unencoded. */
export const ofAlbLeaf = escapedPem

/**
 * Reads `X-Amzn-Mtls-Clientcert`, the whole chain as the client sent it, in which its own certificate comes first (RFC 8446 §4.4.2).
 * Undefined if there is anything but certificates in it, such as a second header line: the caller could have written the first.
 */
export const ofAlbChain = (text: string | undefined): Uint8Array | undefined => {
  const parts = (decoded(text ?? "") ?? "").trim().split(endOfPem)
  const chain = parts.slice(0, -1).map((each) => pem(each + endOfPem))
  return parts.at(-1) === "" && !chain.includes(undefined) ? chain[0] : undefined
}

/** Parses the pairs of an XFCC element, without quotes. Undefined for several elements, and for a repeated name. */
const xfccPairs = (value: string): ReadonlyMap<string, string> | undefined => {
  const pairs = new Map<string, string>()
  let at = 0
  while (at < value.length) {
    const equals = value.indexOf("=", at)
    if (equals < 0) return undefined
    const name = value.slice(at, equals).trim().toLowerCase()
    // A name with a comma is the end of one element and the begin of another.
    if (name.includes(",")) return undefined
    let text = ""
    at = equals + 1
    if (value[at] === '"') {
      for (at++; value[at] !== '"'; at++) {
        if (at >= value.length) return undefined
        if (value[at] === "\\") at++
        text += value[at] ?? ""
      }
      at++
    } else {
      const end = value.slice(at).search(/[;,"]/)
      text = end < 0 ? value.slice(at) : value.slice(at, at + end)
      at += text.length
    }
    // Subject alternative names may be repeated, and are ignored.
    if (pairs.has(name) && (name === "cert" || name === "hash")) return undefined
    pairs.set(name, text)
    // A comma begins the element of another proxy, and it is unknown which of them verified the certificate.
    if (at < value.length && value[at] !== ";") return undefined
    at++
  }
  return pairs
}

/** Reads `x-forwarded-client-cert` of Envoy: one element with the certificate, and its hash if present. */
export const ofXfcc = (value: string | undefined): Pick<ForwardedCertificate, "der" | "hash"> | undefined => {
  const pairs = value === undefined ? undefined : xfccPairs(value)
  const der = escapedPem(pairs?.get("cert"))
  return der && { der, hash: pairs?.get("hash")?.toLowerCase() }
}

const shown = (der: Uint8Array | undefined, verified: boolean): ForwardedCertificate | undefined => der && { der, verified }

const readers: Readonly<Record<CertificateForm, (field: Field, verifies: boolean) => ForwardedCertificate | undefined>> = {
  "client-cert": (field, verifies) => shown(ofClientCert(field("client-cert")), verifies),
  nginx: (field) => shown(ofNginx(field("x-ssl-client-cert")), field("x-ssl-client-verify") === "SUCCESS"),
  envoy: (field, verifies) => {
    const found = ofXfcc(field("x-forwarded-client-cert"))
    return found && { ...found, verified: verifies }
  },
  haproxy: (field) => shown(ofHaproxy(field("x-ssl-client-cert")), field("x-ssl-client-verify") === "0"),
  // The load balancer sets one of the two headers, depending on its mode; the other one may come from the caller.
  alb: (field, verifies) =>
    verifies ? shown(ofAlbLeaf(field("x-amzn-mtls-clientcert-leaf")), true) : shown(ofAlbChain(field("x-amzn-mtls-clientcert")), false),
}
