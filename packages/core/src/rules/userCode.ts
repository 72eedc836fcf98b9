/** The letters of user codes: no vowels, so that no words occur, and no similar letters (RFC 8628 §6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

const form = new RegExp(`^[${letters}]{8}$`)

/**
 * Generates a user code from random bytes: 8 letters, 34 bits. Bytes beyond the last whole multiple of the alphabet are skipped, so that
 * all letters are equally likely.
 */
export const userCodeFrom = (bytes: Uint8Array): string | undefined => {
  const fair = [...bytes].filter((byte) => byte < 240).slice(0, 8)
  return fair.length < 8 ? undefined : fair.map((byte) => letters[byte % 20]).join("")
}

/** Formats a user code for display: `BCDF-GHJK`. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** The maximum length of a typed code with all plausible dashes and spaces, in characters. */
const longestTyped = 64

/** Parses a typed user code, ignoring case, dashes and spaces (RFC 8628 §6.1). Undefined for anything else. */
export const readUserCode = (typed: string | undefined): string | undefined => {
  if (typed === undefined || typed.length > longestTyped) return undefined
  const code = typed.replaceAll(/[\s\-_.]/g, "").toUpperCase()
  return form.test(code) ? code : undefined
}
