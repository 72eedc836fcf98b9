import { encodeBase64Url } from "../../wire/index.ts"

const octets = (text: string): ReadonlyArray<number> | undefined => {
  const parts = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text) ? text.split(".").map(Number) : []
  return parts.length === 4 ? parts : undefined
}

const groups = (half: string): ReadonlyArray<number> | undefined => {
  if (half === "") return []
  const parts = half.split(":").map((part) => (/^[0-9a-f]{1,4}$/i.test(part) ? Number.parseInt(part, 16) : Number.NaN))
  return parts.some(Number.isNaN) ? undefined : parts.flatMap((part) => [part >> 8, part & 255])
}

/**
 * Converts an address from text to its bytes in a certificate, as base64url (RFC 8705 §2.1.2, RFC 5280 §4.2.1.6); undefined if it is
 * invalid.
 */
export const addressBytes = (text: string): string | undefined => {
  if (text.length > 45) return undefined
  const v4 = octets(text)
  if (v4 !== undefined) return encodeBase64Url(Uint8Array.from(v4))
  // The last four bytes may be written in IPv4 notation (RFC 4291 §2.2).
  const [, before = text, last] = /^(.*:)(\d[\d.]*\.\d+)$/.exec(text) ?? []
  const ending = last === undefined ? [] : octets(last)
  if (ending === undefined || !text.includes(":")) return undefined
  const [head = "", tail, ...more] = (last === undefined ? before : before.replace(/(?<!:):$/, "")).split("::")
  const [left, right] = [groups(head), groups(tail ?? "")]
  if (left === undefined || right === undefined || more.length > 0) return undefined
  const missing = 16 - left.length - right.length - ending.length
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined
  return encodeBase64Url(Uint8Array.from([...left, ...Array.from({ length: missing }, () => 0), ...right, ...ending]))
}
