import { createHash } from "node:crypto"

/** No header with a certificate is longer, in characters. */
export const longestHeader = 32_768

/** Base64 with its padding; undefined for anything else (RFC 4648 §4). */
const base64 = (text: string): Uint8Array | undefined => {
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, "base64")
  // Bits after the last byte could be others, and mean the same.
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined
}

/** The one certificate in a text of PEM (RFC 7468 §5); undefined for none, for several and for anything beside it. */
const endOfPem = "-----END CERTIFICATE-----"

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

/** PEM that is percent-encoded. */
const escapedPem = (text: string | undefined): Uint8Array | undefined => {
  const read = text === undefined ? undefined : decoded(text)
  return read === undefined ? undefined : pem(read)
}

/** `Client-Cert` of RFC 9440 §2.2: one byte sequence of structured fields, and no parameters. */
export const ofClientCert = (value: string | undefined): Uint8Array | undefined => {
  const trimmed = value?.trim() ?? ""
  return trimmed.length > 2 && trimmed.startsWith(":") && trimmed.endsWith(":") ? base64(trimmed.slice(1, -1)) : undefined
}

/** `$ssl_client_escaped_cert` of nginx: PEM, percent-encoded. */
export const ofNginx = escapedPem

/** `%[ssl_c_der,base64]` of HAProxy. */
export const ofHaproxy = (value: string | undefined): Uint8Array | undefined => (value === undefined ? undefined : base64(value))

/** `X-Amzn-Mtls-Clientcert-Leaf` of Amazon's load balancer: PEM, percent-encoded with some characters left as they are. */
export const ofAlbLeaf = escapedPem

/** `X-Amzn-Mtls-Clientcert`, the whole chain as the client sent it: its own certificate comes first (RFC 8446 §4.4.2). */
export const ofAlbChain = (text: string | undefined): Uint8Array | undefined => {
  const read = text === undefined ? undefined : decoded(text)
  const end = read?.indexOf(endOfPem) ?? -1
  return read === undefined || end < 0 ? undefined : pem(read.slice(0, end + endOfPem.length))
}

/** The pairs of an XFCC element: names to values, quotes taken off. Undefined for several elements, and for a name that comes twice. */
const xfccPairs = (value: string): ReadonlyMap<string, string> | undefined => {
  const pairs = new Map<string, string>()
  let at = 0
  while (at < value.length) {
    const equals = value.indexOf("=", at)
    if (equals < 0) return undefined
    const name = value.slice(at, equals).trim().toLowerCase()
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
    // Subject alternative names may repeat, and are not read.
    if (pairs.has(name) && (name === "cert" || name === "hash")) return undefined
    pairs.set(name, text)
    // A comma begins the element of another proxy: which of them showed the certificate is nobody's guess.
    if (at < value.length && value[at] !== ";") return undefined
    at++
  }
  return pairs
}

/** `x-forwarded-client-cert` of Envoy: one element with the certificate, of which the hash, where it is given, is that. */
export const ofXfcc = (value: string | undefined): Uint8Array | undefined => {
  const pairs = value === undefined ? undefined : xfccPairs(value)
  const der = escapedPem(pairs?.get("cert"))
  const hash = pairs?.get("hash")
  if (der === undefined || hash === undefined) return der
  return createHash("sha256").update(der).digest("hex") === hash.toLowerCase() ? der : undefined
}
