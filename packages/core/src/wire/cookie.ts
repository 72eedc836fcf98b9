import type { Seconds } from "../model/index.ts"

/** A cookie to set. Every cookie is HttpOnly, SameSite=Lax and valid for the whole host. */
export interface Cookie {
  /** The name without prefix. */
  readonly name: CookieName
  /** The value, which must need no encoding. */
  readonly value: string
  /** The lifetime in seconds; 0 removes the cookie, undefined means until the browser closes. */
  readonly maxAge?: Seconds | undefined
}

/**
 * The cookies that Postern sets: the session, the browser, the language chosen on a page, earlier sign-ins at the browser, and the state
 * for the frame of session management.
 */
export type CookieName = "session" | "browser" | "language" | "known" | "state"

/** Encodes a port and a path as part of a cookie name (RFC 9110 §5.6.2), so that different ones stay different. */
const suffixOf = (issuer: string): string => {
  const [, port = "", path = ""] = /^[a-z]+:\/\/(?:\[[^\]]*\]|[^/:?#]*)(?::(\d+))?([^?#]*)/i.exec(issuer) ?? []
  const place = port + path.replace(/\/$/, "")
  return place === "" ? "" : `-${place.replace(/[^A-Za-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`)}`
}

/** Reports whether cookies can be `Secure`, because the issuer is https. */
export const isSecure = (issuer: string): boolean => issuer.startsWith("https:")

/**
 * Returns the name of a cookie on the wire: with `__Host-` over https (RFC 6265bis §4.1.3.2), without it for a loopback development issuer,
 * which cannot use it. Cookies do not distinguish ports or paths of a host (RFC 6265 §8.5, §8.6), so the name contains those of the issuer.
 */
export const cookieName = (name: CookieName, issuer: string): string =>
  `${isSecure(issuer) ? "__Host-" : ""}postern-${name}${suffixOf(issuer)}`

/** Reads one cookie of an issuer from a Cookie header; the first with the name counts. */
export const readCookie = (header: string | undefined, name: CookieName, issuer: string): string | undefined => {
  if (header === undefined) return undefined
  const wanted = `${cookieName(name, issuer)}=`
  // It is found by its name rather than by parsing every cookie, because a header may contain thousands.
  for (let at = header.indexOf(wanted); at >= 0; at = header.indexOf(wanted, at + wanted.length)) {
    if (!opensPair(header, at)) continue
    const end = header.indexOf(";", at)
    return header.slice(at + wanted.length, end < 0 ? undefined : end).trimEnd()
  }
  return undefined
}

/** Reports whether a pair begins there, with only white space since the last one. */
const opensPair = (header: string, at: number): boolean => {
  let before = at - 1
  while (before >= 0 && (header[before] === " " || header[before] === "\t")) before--
  return before < 0 || header[before] === ";"
}

/** Formats a Set-Cookie value of an issuer. */
export const writeCookie = ({ name, value, maxAge }: Cookie, issuer: string): string =>
  [
    `${cookieName(name, issuer)}=${value}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure(issuer) ? ["Secure"] : []),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
  ].join("; ")
