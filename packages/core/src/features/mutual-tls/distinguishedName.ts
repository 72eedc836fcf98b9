import { encodeBase64Url } from "../../wire/index.ts"
import { elements, textOf } from "./der.ts"

/** An attribute of a name: its type, and its value as a text, or as bytes if it is not a text. */
export interface Attribute {
  /** The object identifier of its type. */
  readonly type: string
  /** The value of a string; undefined for another kind of value. */
  readonly text: string | undefined
  /** The content of its encoding, as base64url; undefined if it was written as a text. */
  readonly bytes: string | undefined
}

/** A distinguished name: sets of attributes, outermost first, in the order of certificates. */
export type DistinguishedName = ReadonlyArray<ReadonlyArray<Attribute>>

/** Types by their short names: those of RFC 4514 §3, and those that common tools use. */
const types: Readonly<Record<string, string>> = {
  CN: "2.5.4.3",
  SURNAME: "2.5.4.4",
  SN: "2.5.4.4",
  SERIALNUMBER: "2.5.4.5",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  S: "2.5.4.8",
  STREET: "2.5.4.9",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  TITLE: "2.5.4.12",
  T: "2.5.4.12",
  BUSINESSCATEGORY: "2.5.4.15",
  POSTALCODE: "2.5.4.17",
  GIVENNAME: "2.5.4.42",
  GN: "2.5.4.42",
  INITIALS: "2.5.4.43",
  DNQUALIFIER: "2.5.4.46",
  PSEUDONYM: "2.5.4.65",
  ORGANIZATIONIDENTIFIER: "2.5.4.97",
  UID: "0.9.2342.19200300.100.1.1",
  USERID: "0.9.2342.19200300.100.1.1",
  DC: "0.9.2342.19200300.100.1.25",
  EMAILADDRESS: "1.2.840.113549.1.9.1",
  E: "1.2.840.113549.1.9.1",
  JURISDICTIONL: "1.3.6.1.4.1.311.60.2.1.1",
  JURISDICTIONST: "1.3.6.1.4.1.311.60.2.1.2",
  JURISDICTIONC: "1.3.6.1.4.1.311.60.2.1.3",
}

const typeOf = (word: string): string | undefined => {
  const oid = word.replace(/^oid\./i, "")
  return /^\d{1,10}(?:\.\d{1,10}){1,20}$/.test(oid) ? oid : types[word.toUpperCase()]
}

/** The longest name that is read, in characters. */
const longest = 2_000

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Reads the text of a value with its escapes, up to the next separator (RFC 4514 §2.4). */
const valueAt = (text: string, begin: number): readonly [value: string, end: number] | undefined => {
  const bytes: Array<number> = []
  let kept = 0
  let at = begin
  for (; at < text.length;) {
    const char = text.charAt(at)
    if (char === "," || char === "+") break
    if (char === '"' || char === ";" || char === "<" || char === ">" || char === "\0") return undefined
    if (char !== "\\") {
      const point = String.fromCodePoint(text.codePointAt(at) ?? 0)
      bytes.push(...new TextEncoder().encode(point))
      at += point.length
      // A space before a separator belongs to the separator, unless it is escaped.
      if (char !== " ") kept = bytes.length
      continue
    }
    const pair = text.slice(at + 1, at + 3)
    const isHex = /^[0-9a-f]{2}$/i.test(pair)
    if (!isHex && !/^[ "#+,;<=>\\]/.test(pair)) return undefined
    bytes.push(isHex ? Number.parseInt(pair, 16) : pair.charCodeAt(0))
    at += isHex ? 3 : 2
    kept = bytes.length
  }
  try {
    return [utf8.decode(Uint8Array.from(bytes.slice(0, kept))), at]
  } catch {
    return undefined
  }
}

/** Reads an attribute whose value is written in hexadecimal encoding: `#04024869` (RFC 4514 §2.4). */
const encodedAttribute = (type: string, hex: string): Attribute | undefined => {
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) return undefined
  const [element, ...more] = elements(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))) ?? []
  return element === undefined || more.length > 0
    ? undefined
    : { type, text: textOf(element), bytes: encodeBase64Url(element.content.slice()) }
}

/**
 * Reads a name in the notation of RFC 4514, innermost first; undefined if it is invalid. Spaces around separators, which many tools write,
 * are accepted. The result is empty for the name without parts.
 */
export const readDistinguishedName = (text: string): DistinguishedName | undefined => {
  if (text.length > longest) return undefined
  const name: Array<Array<Attribute>> = []
  let joined = false
  for (let at = 0; at < text.length || at === 0;) {
    const [written = "", word = ""] = /^ *([A-Za-z][A-Za-z0-9-]{0,99}|(?:oid\.)?[0-9.]{1,200}) *= */i.exec(text.slice(at, at + 400)) ?? []
    const type = typeOf(word)
    if (type === undefined) return undefined
    const from = at + written.length
    const value = valueAt(text, from)
    if (value === undefined) return undefined
    const [read, end] = value
    const attribute = text[from] === "#" ? encodedAttribute(type, read.slice(1)) : { type, text: read, bytes: undefined }
    if (attribute === undefined || (read === "" && attribute.bytes === undefined)) return undefined
    if (joined) name[0]?.push(attribute)
    else name.unshift([attribute])
    if (end === text.length) return name
    joined = text[end] === "+"
    at = end + 1
    if (at === text.length) return undefined
  }
  return undefined
}

/** Prepares a value for comparison: without regard to case, width and the number of spaces (RFC 4517 §4.2.11, RFC 4518 §2). */
const prepared = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()

const sameValue = (left: Attribute, right: Attribute): boolean => {
  if (left.type !== right.type) return false
  if (left.text !== undefined && right.text !== undefined) return prepared(left.text) === prepared(right.text)
  return left.bytes !== undefined && left.bytes === right.bytes
}

/**
 * Reports whether two names are equal: they have the same number of parts, each with the same attributes in any order (RFC 4517 §4.2.15).
 */
export const sameName = (left: DistinguishedName, right: DistinguishedName): boolean =>
  left.length === right.length &&
  left.every((part, at) => {
    const other = right[at] ?? []
    return (
      part.length === other.length &&
      part.every((one) => other.some((each) => sameValue(one, each))) &&
      other.every((one) => part.some((each) => sameValue(one, each)))
    )
  })
