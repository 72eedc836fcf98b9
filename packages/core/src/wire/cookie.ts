import type { Seconds } from "../model/index.ts"

/** A cookie to set. Every one is HttpOnly, SameSite=Lax and bound to the whole host. */
export interface Cookie {
  /** Name without prefix. */
  readonly name: CookieName
  readonly value: string
  /** Life in seconds; 0 removes it, undefined ends with the browser. */
  readonly maxAge?: Seconds | undefined
}

/** The cookies Postern sets: who is signed in, and which browser this is. */
export type CookieName = "session" | "browser"

/** The name on the wire: `__Host-` over https (RFC 6265bis §4.1.3.2), plain on a loopback development issuer, which cannot use it. */
const wireName = (name: CookieName, secure: boolean): string => (secure ? `__Host-postern-${name}` : `postern-${name}`)

/** Reads one cookie of a Cookie header; the first of a name counts. */
export const readCookie = (header: string | undefined, name: CookieName, secure: boolean): string | undefined => {
  if (header === undefined) return undefined
  const wanted = `${wireName(name, secure)}=`
  // Found by its name, not by taking every cookie apart: a header may hold thousands.
  for (let at = header.indexOf(wanted); at >= 0; at = header.indexOf(wanted, at + wanted.length)) {
    if (!opensPair(header, at)) continue
    const end = header.indexOf(";", at)
    return header.slice(at + wanted.length, end < 0 ? undefined : end).trimEnd()
  }
  return undefined
}

/** Whether a pair begins there: after nothing but white space since the last one. */
const opensPair = (header: string, at: number): boolean => {
  let before = at - 1
  while (before >= 0 && (header[before] === " " || header[before] === "\t")) before--
  return before < 0 || header[before] === ";"
}

/** Writes a Set-Cookie value. */
export const writeCookie = ({ name, value, maxAge }: Cookie, secure: boolean): string =>
  [
    `${wireName(name, secure)}=${value}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    ...(secure ? ["Secure"] : []),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
  ].join("; ")
