/** The letters of user codes: no vowels, so that no word comes up, and no letters that look alike (RFC 8628 §6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

const form = new RegExp(`^[${letters}]{8}$`)

/** Makes a user code from random bytes: 8 letters, 34 bits. Bytes past the last whole run of letters are passed over, so none is likelier. */
export const userCodeFrom = (bytes: Uint8Array): string | undefined => {
  const fair = [...bytes].filter((byte) => byte < 240).slice(0, 8)
  return fair.length < 8 ? undefined : fair.map((byte) => letters[byte % 20]).join("")
}

/** A user code as it is shown: `BCDF-GHJK`. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** A code with all the dashes and spaces that anybody would put into it, in characters. */
const longestTyped = 64

/** Reads a user code as people type it: case, dashes and spaces do not matter (RFC 8628 §6.1). Undefined for anything else. */
export const readUserCode = (typed: string | undefined): string | undefined => {
  if (typed === undefined || typed.length > longestTyped) return undefined
  const code = typed.replaceAll(/[\s\-_.]/g, "").toUpperCase()
  return form.test(code) ? code : undefined
}
