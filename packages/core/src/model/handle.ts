/**
 * What a handle stands for. The letter leads the handle, so one kind can never be taken for another:
 * authorization `c`ode, `a`ccess token, `r`efresh token, `s`ession, `i`nteraction, `b`rowser.
 */
export type HandleKind = "c" | "a" | "r" | "s" | "i" | "b"

/** An ordered locator: 48 bits of time and 48 of chance, 16 characters that sort as they were made. */
export type Locator = string

/** A handle taken apart. The row is found by its locator and judged by the digest of its secret. */
export interface Handle {
  readonly kind: HandleKind
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

const form = /^([carsib])_([A-Za-z0-9_-]{16})([A-Za-z0-9_-]{43})$/

/** Reads a handle of one kind; anything else is undefined. */
export const readHandle = (kind: HandleKind, value: string | undefined): Handle | undefined => {
  const parts = value === undefined ? null : form.exec(value)
  if (parts === null || parts[1] !== kind) return undefined
  return { kind, locator: parts[2] ?? "", secret: parts[3] ?? "" }
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

const ordered = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

/** Writes a locator from a time in milliseconds and 6 random bytes, in an alphabet that sorts as ASCII does. */
export const locatorAt = (milliseconds: number, chance: Uint8Array): Locator => {
  let written = ""
  for (let shift = 7; shift >= 0; shift--) written += ordered[Math.floor(milliseconds / 64 ** shift) % 64]
  for (let at = 0; at < 6; at += 3) {
    const bits = ((chance[at] ?? 0) << 16) | ((chance[at + 1] ?? 0) << 8) | (chance[at + 2] ?? 0)
    written += `${ordered[bits >> 18]}${ordered[(bits >> 12) & 63]}${ordered[(bits >> 6) & 63]}${ordered[bits & 63]}`
  }
  return written
}

/** The time a locator was made at, in milliseconds. */
export const locatorTime = (locator: Locator): number => {
  let milliseconds = 0
  for (let at = 0; at < 8; at++) milliseconds = milliseconds * 64 + ordered.indexOf(locator[at] ?? "-")
  return milliseconds
}
