/**
 * The kind of row that a handle refers to. The handle begins with its letter, so that one kind cannot be mistaken for another:
 * authorization `c`ode, `a`ccess token, `r`efresh token, `s`ession, `i`nteraction, `b`rowser, `d`evice code, an attempt to sign in
 * `u`pstream, a `p`ushed request, the mana`g`ement of a registration, an i`n`itial access token, an authentication re`q`uest.
 */
export type HandleKind = "c" | "a" | "r" | "s" | "i" | "b" | "d" | "u" | "p" | "g" | "n" | "q"

/** An ordered locator: the creation time and 47 random bits, as 16 letters and digits that sort by creation time. */
export type Locator = string

/** A parsed handle. Its row is found by the locator and verified by the digest of the secret. */
export interface Handle {
  /** The kind of row it refers to. */
  readonly kind: HandleKind
  /** The key of the row. */
  readonly locator: Locator
  /** 256 random bits, 43 characters of base64url. */
  readonly secret: string
}

/** A new handle, with the digest that its row stores. */
export interface FreshHandle extends Handle {
  /** The handle as a string. */
  readonly value: string
  /** SHA-256 of the secret, base64url. */
  readonly digest: string
}

/** The identity of an access token: the handle of a reference token, or the unique part of a JWT's `jti`. */
export type AccessHandle =
  | FreshHandle
  | { /** A JWT: its row, if any, is found by its `jti`. */ readonly kind: "jwt"; /** The key of the row. */ readonly locator: Locator }

const form = /^[carsibdupgnq]_[A-Za-z0-9]{16}[A-Za-z0-9_-]{43}$/

/** Parses a handle of one kind; undefined for anything else. */
export const readHandle = (kind: HandleKind, value: string | undefined): Handle | undefined => {
  if (value === undefined || !value.startsWith(kind) || !form.test(value)) return undefined
  return { kind, locator: value.slice(2, 18), secret: value.slice(18) }
}

/** Writes a handle. */
export const writeHandle = (handle: Handle): string => `${handle.kind}_${handle.locator}${handle.secret}`

/** Compares two digests in a time that depends only on their length. */
export const sameDigest = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at)
  return difference === 0
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The number of values of four base-62 digits. */
const half = 62 ** 4

/** Returns the last eight base-62 digits, which sort like the numbers. They suffice for milliseconds until the year 8888. */
const written = (value: number): string => {
  const high = Math.floor(value / half)
  const [first, last] = [(high % half) | 0, (value - high * half) | 0]
  // Each digit is computed: a table of pairs would be read from memory that a request finds in no cache.
  return String.fromCharCode(
    codeOf(first / 238_328),
    codeOf(first / 3844),
    codeOf(first / 62),
    codeOf(first),
    codeOf(last / 238_328),
    codeOf(last / 3844),
    codeOf(last / 62),
    codeOf(last),
  )
}

/** Returns the character code of the last base-62 digit of a number, whose fraction does not count. */
const codeOf = (value: number): number => {
  const digit = (value | 0) % 62
  if (digit < 10) return 48 + digit
  return digit < 36 ? 55 + digit : 61 + digit
}

let time = { milliseconds: 0, digits: "00000000" }

/** Many locators have the same millisecond as the previous one. */
const writtenTime = (milliseconds: number): string => {
  if (milliseconds !== time.milliseconds) time = { milliseconds, digits: written(milliseconds) }
  return time.digits
}

/** Builds a locator from a time in milliseconds and 6 random bytes, with digits that sort in ASCII order. */
export const locatorAt = (milliseconds: number, chance: Uint8Array): Locator => writtenTime(milliseconds) + written(numberOf(chance))

const numberOf = (bytes: Uint8Array): number => {
  let sum = 0
  for (const byte of bytes) sum = sum * 256 + byte
  return sum
}

/** Returns the creation time of a locator, in milliseconds. */
export const locatorTime = (locator: Locator): number =>
  Array.from({ length: 8 }, (_, at) => digits.indexOf(locator.charAt(at))).reduce((sum, digit) => sum * 62 + digit, 0)

/**
 * Builds a deterministic locator for a row that belongs to two others, from the time of the first and a number computed from both. It uses
 * no secret: it reveals only the two locators.
 */
export const locatorOfBoth = (first: Locator, second: Locator): Locator =>
  first.slice(0, 8) + written((locatorTime(first.slice(8)) + locatorTime(second.slice(8))) % half ** 2)

/** The start of a paged list, newest first. Each following page begins before the last row of the previous one. */
export const latest: { readonly until: number; readonly before: Locator } = { until: Number.MAX_SAFE_INTEGER, before: "~" }
