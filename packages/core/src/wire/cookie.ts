import type { Seconds } from "../model/index.ts"

/** A cookie to set. Every one is HttpOnly, SameSite=Lax and bound to the whole host. */
export interface Cookie {
  /** Name without prefix. */
  readonly name: CookieName
  /** The value, which needs no encoding. */
  readonly value: string
  /** Life in seconds; 0 removes it, undefined ends with the browser. */
  readonly maxAge?: Seconds | undefined
}

/** The cookies Postern sets: the session, the browser, the language chosen on a page, earlier sign-ins at the browser, and the state that the frame of session management reads. */
export type CookieName = "session" | "browser" | "language" | "known" | "state"

/** A port and a path in the characters of a cookie's name (RFC 9110 §5.6.2), so that no two of them become equal. */
const suffixOf = (issuer: string): string => {
  const [, port = "", path = ""] = /^[a-z]+:\/\/(?:\[[^\]]*\]|[^/:?#]*)(?::(\d+))?([^?#]*)/i.exec(issuer) ?? []
  const place = port + path.replace(/\/$/, "")
  return place === "" ? "" : `-${place.replace(/[^A-Za-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`)}`
}

/** Reports whether cookies can be `Secure`: the issuer is https. */
export const isSecure = (issuer: string): boolean => issuer.startsWith("https:")

/**
 * The name of a cookie on the wire: `__Host-` over https (RFC 6265bis §4.1.3.2), plain on a loopback development issuer, which cannot use it. Cookies
 * do not tell ports or paths of a host apart (RFC 6265 §8.5, §8.6), so the name carries the issuer's where it has one.
 */
export const cookieName = (name: CookieName, issuer: string): string =>
  `${isSecure(issuer) ? "__Host-" : ""}postern-${name}${suffixOf(issuer)}`

/** Reads one cookie of an issuer from a Cookie header; the first of a name counts. */
export const readCookie = (header: string | undefined, name: CookieName, issuer: string): string | undefined => {
  if (header === undefined) return undefined
  const wanted = `${cookieName(name, issuer)}=`
  // Found by its name, not by taking every cookie apart: a header may hold thousands.
  for (let at = header.indexOf(wanted); at >= 0; at = header.indexOf(wanted, at + wanted.length)) {
    if (!opensPair(header, at)) continue
    const end = header.indexOf(";", at)
    return header.slice(at + wanted.length, end < 0 ? undefined : end).trimEnd()
  }
  return undefined
}

/** Reports whether a pair begins there: after nothing but white space since the last one. */
const opensPair = (header: string, at: number): boolean => {
  let before = at - 1
  while (before >= 0 && (header[before] === " " || header[before] === "\t")) before--
  return before < 0 || header[before] === ";"
}

/** Writes a Set-Cookie value of an issuer. */
export const writeCookie = ({ name, value, maxAge }: Cookie, issuer: string): string =>
  [
    `${cookieName(name, issuer)}=${value}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure(issuer) ? ["Secure"] : []),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
  ].join("; ")
