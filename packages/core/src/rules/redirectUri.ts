import type { Client } from "../model/index.ts"

/** The parts of an absolute URI that redirect rules use. */
export interface UriParts {
  readonly scheme: string
  readonly host: string
  readonly port: string | undefined
  /** Everything after the authority. */
  readonly rest: string
  readonly fragment: boolean
  readonly userinfo: boolean
}

/** Splits a URI without normalization, because matching is by character (RFC 9700 §2.1). */
export const uriParts = (uri: string): UriParts | undefined => {
  const parts = /^([a-zA-Z][a-zA-Z0-9+.-]*):(?:\/\/([^/?#]*))?([^#]*)(#.*)?$/s.exec(uri)
  // RFC 3986 §2: a URI is ASCII; other characters could not occur in a Location header either.
  if (parts === null || /[^\x21-\x7e]|\\/.test(uri)) return undefined
  const [, scheme = "", authority = "", rest = "", fragment] = parts
  const at = authority.lastIndexOf("@")
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.slice(at + 1)) ?? []
  return { scheme, host, port, rest, fragment: fragment !== undefined, userinfo: at >= 0 }
}

/**
 * Reports whether a host is valid in an http or https URL (RFC 9110 §4.2.2): a name of letters, digits, dashes, dots and underscores, or an
 * address. Others would have another meaning in a Content-Security-Policy.
 */
export const isHost = (host: string): boolean => /^(?:[a-z0-9_][a-z0-9._-]{0,252}|\[[0-9a-f:.]{2,45}\])$/i.test(host)

/** Reports whether a host is a loopback address literal (RFC 8252 §7.3). `localhost` is a name, which may resolve to another address. */
export const isLoopbackAddress = (host: string): boolean => host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)

/** Reports whether a port is absent or a TCP port, without leading zeros. */
export const isPort = (port: string | undefined): boolean => port === undefined || (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)

/** Returns the fault of the host and port of a URL, with a hint; undefined if a browser or a server can connect to them. */
export const authorityFault = ({ host, port }: Pick<UriParts, "host" | "port">): readonly [string, string] | undefined => {
  if (!isHost(host)) return ["has a host that no address on the web has", "write the name of a host, or its address"]
  // RFC 3986 §3.2.3: a port may be empty.
  return port === undefined || port === "" || (Number(port) > 0 && Number(port) <= 65_535)
    ? undefined
    : ["has a port that no host has", "write a port from 1 to 65535, or none"]
}

/** Returns the fault of the spelling of a URL, with a hint; undefined if there is none, or if it is no absolute URL at all. */
export const spellingFault = (uri: string): readonly [string, string] | undefined => {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(uri) ?? []
  if (scheme === undefined) return undefined
  // RFC 3986 §3.1: schemes are written in lowercase. URLs are compared character by character, so one spelling is enough.
  if (/^https?$/i.test(scheme) && scheme !== scheme.toLowerCase())
    return ["has a scheme in capital letters", `write ${scheme.toLowerCase()}:`]
  return uriParts(uri) === undefined
    ? ["has a character that no URI has", "percent-encode it, or write a host as DNS has it: xn--bcher-kva.example"]
    : undefined
}

/** Reports whether a host is this machine: a loopback address or `localhost`. */
export const isLoopback = (host: string): boolean => host === "localhost" || isLoopbackAddress(host)

const withoutPort = ({ scheme, host, rest }: UriParts): string => `${scheme}://${host}${rest}`

/**
 * Reports whether a redirect_uri is registered for the client: equal by character, or, for a native client's loopback address, equal except
 * for the port. The same applies to `localhost` if that is allowed.
 */
export const redirectUriMatches = (
  client: Pick<Client, "redirectUris" | "applicationType" | "loopbackLocalhost">,
  uri: string,
  localhost = client.loopbackLocalhost === true,
): boolean => {
  if (client.redirectUris.includes(uri)) return true
  if (client.applicationType !== "native") return false
  const isLocal = localhost ? isLoopback : isLoopbackAddress
  const asked = uriParts(uri)
  if (asked === undefined || asked.scheme !== "http" || asked.userinfo || asked.fragment || !isLocal(asked.host) || !isPort(asked.port))
    return false
  return client.redirectUris.some((registered) => {
    const known = uriParts(registered)
    return known !== undefined && known.scheme === "http" && isLocal(known.host) && withoutPort(known) === withoutPort(asked)
  })
}
