/** Returns the path of an issuer without a trailing slash; empty if it has none. */
export const basePathOf = (issuer: string): string => /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(issuer)?.[1]?.replace(/\/$/, "") ?? ""

/**
 * Normalizes an issuer as clients do when they request it, without a trailing slash: host in lower case, no default port, no empty or dot
 * segments (URL Standard §4.4, RFC 3986 §6.2). An issuer in another spelling differs when compared byte for byte (RFC 8414 §3.3).
 * `undefined` for anything that is not a URL.
 */
export const normalIssuer = (issuer: string): string | undefined => {
  if (!URL.canParse(issuer)) return undefined
  const { origin, pathname } = new URL(issuer)
  return `${origin}${pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "")}`
}
