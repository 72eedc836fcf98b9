/**
 * The kind of thing that a handle stands for. The letter leads the handle, so one kind can never be taken for another:
 * authorization `c`ode, `a`ccess token, `r`efresh token, `s`ession, `i`nteraction, `b`rowser,
 * `d`evice code, an attempt to sign in `u`pstream, a `p`ushed request, the mana`g`ement of a registration,
 * an i`n`itial access token, an authentication re`q`uest.
 */
export type HandleKind = "c" | "a" | "r" | "s" | "i" | "b" | "d" | "u" | "p" | "g" | "n" | "q"

/** An ordered locator: the time it was made and 47 bits of chance, 16 letters and digits that sort as they were made. */
export type Locator = string

/** A handle taken apart. The row is found by its locator and judged by the digest of its secret. */
export interface Handle {
  /** The kind of row it names. */
  readonly kind: HandleKind
  /** The key of the row. */
  readonly locator: Locator
  /** 256 random bits, 43 characters of base64url. */
  readonly secret: string
}

/** A handle just made, with the digest that its row keeps. */
export interface FreshHandle extends Handle {
  /** The handle as it is given away. */
  readonly value: string
  /** SHA-256 of the secret, base64url. */
  readonly digest: string
}

/** The identity of an access token: the handle that a reference token is, or the unique part of a JWT's `jti`. */
export type AccessHandle =
  | FreshHandle
  | { /** A JWT: its row, if any, is found by its `jti`. */ readonly kind: "jwt"; /** The key of the row. */ readonly locator: Locator }

const form = /^[carsibdupgnq]_[A-Za-z0-9]{16}[A-Za-z0-9_-]{43}$/

/** Reads a handle of one kind; anything else is undefined. */
export const readHandle = (kind: HandleKind, value: string | undefined): Handle | undefined => {
  if (value === undefined || !value.startsWith(kind) || !form.test(value)) return undefined
  return { kind, locator: value.slice(2, 18), secret: value.slice(18) }
}

/** Writes a handle. */
export const writeHandle = (handle: Handle): string => `${handle.kind}_${handle.locator}${handle.secret}`

/** Compares two digests in time that depends on their length alone. */
export const sameDigest = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at)
  return difference === 0
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Every two digits. One call, so that a bundle that writes no locators can leave it out. */
const pairs = /* @__PURE__ */ Array.from({ length: 3844 }, (_, at) => digits.charAt(Math.floor(at / 62)) + digits.charAt(at % 62))

/** Four digits of base 62 hold as much. */
const half = 62 ** 4

/** The last eight digits of base 62, which sort as the numbers do: enough for milliseconds until the year 8888. */
const written = (value: number): string => {
  const high = Math.floor(value / half)
  return fourDigits(high % half) + fourDigits(value - high * half)
}

const fourDigits = (value: number): string => {
  const high = Math.floor(value / 3844)
  return `${pairs[high]}${pairs[value - high * 3844]}`
}

let time = { milliseconds: 0, digits: "00000000" }

/** Many a locator is of the millisecond of the one before. */
const writtenTime = (milliseconds: number): string => {
  if (milliseconds !== time.milliseconds) time = { milliseconds, digits: written(milliseconds) }
  return time.digits
}

/** Writes a locator from a time in milliseconds and 6 random bytes, in digits that sort as ASCII does. */
export const locatorAt = (milliseconds: number, chance: Uint8Array): Locator => writtenTime(milliseconds) + written(numberOf(chance))

const numberOf = (bytes: Uint8Array): number => {
  let sum = 0
  for (const byte of bytes) sum = sum * 256 + byte
  return sum
}

/** The time a locator was made at, in milliseconds. */
export const locatorTime = (locator: Locator): number =>
  Array.from({ length: 8 }, (_, at) => digits.indexOf(locator.charAt(at))).reduce((sum, digit) => sum * 62 + digit, 0)

/**
 * Writes the locator of a row that belongs to two others, the same one each time: with the time of the first, and a number made of both. It takes no secret: two locators
 * are all that it says.
 */
export const locatorOfBoth = (first: Locator, second: Locator): Locator =>
  first.slice(0, 8) + written((locatorTime(first.slice(8)) + locatorTime(second.slice(8))) % half ** 2)

/** The place where a list begins that goes from the latest row back, a page at a time: each next page begins before the last row of this one. */
export const latest: { readonly until: number; readonly before: Locator } = { until: Number.MAX_SAFE_INTEGER, before: "~" }
