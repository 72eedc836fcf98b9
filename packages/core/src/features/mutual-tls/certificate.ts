import { encodeBase64Url } from "../../wire/index.ts"
import { type Element, asciiOf, elements, oidOf, tags, textOf, within } from "./der.ts"
import type { Attribute, DistinguishedName } from "./distinguishedName.ts"

/** The members of a JWK that make up its public key (RFC 7518 §6, RFC 8037 §2). */
export type PublicMembers = Readonly<Record<string, string>>

/** The parts of a certificate that identify clients (RFC 5280 §4.1). */
export interface Certificate {
  /** The subject in the order of its encoding, outermost name first. */
  readonly subject: DistinguishedName
  /** The DNS names of the subject alternative name. */
  readonly dns: ReadonlyArray<string>
  /** The URIs of the subject alternative name. */
  readonly uris: ReadonlyArray<string>
  /** Its IP addresses, as bytes in base64url. */
  readonly addresses: ReadonlyArray<string>
  /** The e-mail addresses of the subject alternative name. */
  readonly emails: ReadonlyArray<string>
  /** The public key; undefined if its kind is not supported. */
  readonly key: PublicMembers | undefined
}

/** The longest certificate that is read, in bytes. */
export const longestCertificate = 16_384

/**
 * Reads a certificate; undefined if it is invalid. Nothing in it is verified, because its holder has proved possession of its key, and TLS
 * has verified its chain.
 */
export const readCertificate = (der: Uint8Array): Certificate | undefined => {
  if (der.length > longestCertificate) return undefined
  const [whole, ...after] = elements(der) ?? []
  const [tbs] = within(whole, tags.sequence) ?? []
  const fields = within(tbs, tags.sequence)
  if (fields === undefined || after.length > 0) return undefined
  const [, , , , name, key, ...more] = fields[0]?.tag === tags.version ? fields.slice(1) : fields
  const subject = nameOf(name)
  const names = alternativeNames(more.find(({ tag }) => tag === tags.extensions))
  if (subject === undefined || names === undefined || key === undefined) return undefined
  const texts = (tag: number): ReadonlyArray<string> => names.flatMap((each) => (each.tag === tag ? (asciiOf(each.content) ?? []) : []))
  return {
    subject,
    emails: texts(0x81),
    dns: texts(0x82),
    uris: texts(0x86),
    addresses: names.flatMap(({ tag, content }) => (tag === 0x87 ? [encodeBase64Url(content)] : [])),
    key: keyOf(key),
  }
}

/** A name: a sequence of sets of attributes (RFC 5280 §4.1.2.4). */
const nameOf = (name: Element | undefined): DistinguishedName | undefined => {
  const parts = within(name, tags.sequence)?.map((set) => within(set, tags.set)?.map(attributeOf))
  return parts?.every((part) => part?.every((each) => each !== undefined) === true) === true
    ? parts.map((part = []) => part.flatMap((each) => each ?? []))
    : undefined
}

const attributeOf = (element: Element): Attribute | undefined => {
  const [type, value, ...more] = within(element, tags.sequence) ?? []
  const oid = oidOf(type)
  if (oid === undefined || value === undefined || more.length > 0) return undefined
  return { type: oid, text: textOf(value), bytes: encodeBase64Url(value.content) }
}

const subjectAlternativeName = "2.5.29.17"

/** The alternative names; empty if the certificate has none, undefined if they cannot be read or occur twice (RFC 5280 §4.2). */
const alternativeNames = (extensions: Element | undefined): ReadonlyArray<Element> | undefined => {
  if (extensions === undefined) return []
  const [list, ...after] = elements(extensions.content) ?? []
  const all = within(list, tags.sequence)?.map((each) => within(each, tags.sequence))
  if (all === undefined || after.length > 0) return undefined
  const [found, ...others] = all.filter((each) => oidOf(each?.[0]) === subjectAlternativeName)
  if (found === undefined) return []
  const value = found.at(-1)
  return others.length > 0 || value?.tag !== tags.octetString ? undefined : within(elements(value.content)?.[0], tags.sequence)
}

const curves: Readonly<Record<string, readonly [crv: string, size: number]>> = {
  "1.2.840.10045.3.1.7": ["P-256", 32],
  "1.3.132.0.34": ["P-384", 48],
  "1.3.132.0.35": ["P-521", 66],
}

/** The public key in the form of a JWK (RFC 5280 §4.1.2.7, RFC 5480 §2, RFC 8410 §4). */
const keyOf = (element: Element): PublicMembers | undefined => {
  const [algorithm, bits] = within(element, tags.sequence) ?? []
  const [kind, parameters] = within(algorithm, tags.sequence) ?? []
  if (bits?.tag !== tags.bitString || bits.content[0] !== 0) return undefined
  const value = bits.content.subarray(1)
  switch (oidOf(kind)) {
    case "1.2.840.113549.1.1.1": {
      const [n, e] = within(elements(value)?.[0], tags.sequence) ?? []
      return n?.tag === tags.integer && e?.tag === tags.integer ? { kty: "RSA", n: unsigned(n), e: unsigned(e) } : undefined
    }
    case "1.2.840.10045.2.1": {
      const [crv, size] = curves[oidOf(parameters) ?? ""] ?? []
      if (crv === undefined || size === undefined || value[0] !== 4 || value.length !== 1 + 2 * size) return undefined
      return { kty: "EC", crv, x: encodeBase64Url(value.slice(1, 1 + size)), y: encodeBase64Url(value.slice(1 + size)) }
    }
    case "1.3.101.112":
      return { kty: "OKP", crv: "Ed25519", x: encodeBase64Url(value.slice()) }
    default:
      return undefined
  }
}

/** A positive integer without the leading zero byte (RFC 7518 §2 Base64urlUInt). */
const unsigned = ({ content }: Element): string => encodeBase64Url(content.slice(content[0] === 0 && content.length > 1 ? 1 : 0))
