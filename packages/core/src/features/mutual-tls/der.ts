/** An element of DER: its tag, and its content (ITU-T X.690 §8.1). */
export interface Element {
  readonly tag: number
  readonly content: Uint8Array
}

/** Tags of the elements in certificates (ITU-T X.680 §8.6). */
export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  extensions: 0xa3,
  version: 0xa0,
} as const

/**
 * Reads the element that begins at an offset, and the offset after it; undefined if it is not DER: it has a long tag, or a length that is
 * not the shortest.
 */
const elementAt = (bytes: Uint8Array, at: number): readonly [Element, end: number] | undefined => {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined
  const count = first < 0x80 ? 0 : first & 0x7f
  // Nothing here is longer than two bytes can express; 0x80 is the indefinite length of BER.
  if (first === 0x80 || count > 2) return undefined
  let length = count === 0 ? first : 0
  for (let index = 0; index < count; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0)
  if ((count === 1 && length < 0x80) || (count === 2 && length < 0x100)) return undefined
  const begin = at + 2 + count
  return begin + length > bytes.length ? undefined : [{ tag, content: bytes.subarray(begin, begin + length) }, begin + length]
}

/** Reads consecutive elements up to the last byte; undefined if the bytes contain anything else. */
export const elements = (bytes: Uint8Array): ReadonlyArray<Element> | undefined => {
  const found: Array<Element> = []
  for (let at = 0; at < bytes.length;) {
    const next = elementAt(bytes, at)
    if (next === undefined) return undefined
    found.push(next[0])
    at = next[1]
  }
  return found
}

/** Reads the elements inside an element of the given tag; undefined for another element. */
export const within = (element: Element | undefined, tag: number): ReadonlyArray<Element> | undefined =>
  element?.tag === tag ? elements(element.content) : undefined

/** An object identifier in dotted numbers; undefined if it is invalid or longer than any that is known. */
export const oidOf = (element: Element | undefined): string | undefined => {
  if (element?.tag !== tags.oid || element.content.length === 0 || element.content.length > 32) return undefined
  const numbers: Array<number> = []
  let number = 0
  for (const byte of element.content) {
    number = number * 128 + (byte & 0x7f)
    if (number > 0xff_ff_ff_ff) return undefined
    if (byte >= 0x80) continue
    if (numbers.length > 0) numbers.push(number)
    else {
      const root = Math.min(2, Math.floor(number / 40))
      numbers.push(root, number - root * 40)
    }
    number = 0
  }
  return ((element.content.at(-1) ?? 0x80) & 0x80) === 0 ? numbers.join(".") : undefined
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Reads characters of a fixed width as numbers; undefined if the last one is incomplete. */
const units = (content: Uint8Array, width: number): string | undefined => {
  if (content.length % width !== 0) return undefined
  let text = ""
  for (let at = 0; at < content.length; at += width) {
    let point = 0
    for (let index = 0; index < width; index++) point = point * 256 + (content[at + index] ?? 0)
    if (point > 0x10_ff_ff) return undefined
    text += String.fromCodePoint(point)
  }
  return text
}

/** The text of a string element: UTF8String, one of the ASCII strings, T61String, BMPString, UniversalString; undefined for any other. */
export const textOf = ({ tag, content }: Element): string | undefined => {
  switch (tag) {
    case 12:
      try {
        return utf8.decode(content)
      } catch {
        return undefined
      }
    case 18:
    case 19:
    case 22:
      return asciiOf(content)
    // In practice certificates contain Latin-1 in it.
    case 20:
      return units(content, 1)
    case 28:
      return units(content, 4)
    case 30:
      return units(content, 2)
    default:
      return undefined
  }
}

/** Reads bytes as printable ASCII; undefined for any other. A name with a control character such as NUL matches nobody. */
export const asciiOf = (content: Uint8Array): string | undefined =>
  content.every((byte) => byte >= 0x20 && byte < 0x7f) ? units(content, 1) : undefined
