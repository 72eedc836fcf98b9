import type { Seconds } from "../model/index.ts"

/** A cookie to set. Every one is HttpOnly, SameSite=Lax and bound to the whole host. */
export interface Cookie {
  /** Name without prefix. */
  readonly name: CookieName
  readonly value: string
  /** Life in seconds; 0 removes it, undefined ends with the browser. */
  readonly maxAge: Seconds | undefined
}

/** The cookies Postern sets: who is signed in, and which browser this is. */
export type CookieName = "session" | "browser"

/** The name on the wire: `__Host-` over https (RFC 6265bis §4.1.3.2), plain on a loopback development issuer, which cannot use it. */
const wireName = (name: CookieName, secure: boolean): string => (secure ? `__Host-postern-${name}` : `postern-${name}`)

/** Reads one cookie of a Cookie header; the first of a name counts. */
export const readCookie = (header: string | undefined, name: CookieName, secure: boolean): string | undefined => {
  const wanted = `${wireName(name, secure)}=`
  for (const part of (header ?? "").split(";")) {
    const pair = part.trim()
    if (pair.startsWith(wanted)) return pair.slice(wanted.length)
  }
  return undefined
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
