/** The path of an issuer, without a slash at its end; empty for one without a path. */
export const basePathOf = (issuer: string): string => /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(issuer)?.[1]?.replace(/\/$/, "") ?? ""

/**
 * The form in which clients arrive at an issuer, without a slash at its end: host in lower case, no default port, no empty or dot segments (URL Standard §4.4,
 * RFC 3986 §6.2). What is written otherwise is compared byte for byte and differs (RFC 8414 §3.3). `undefined` for what is no URL.
 */
export const normalIssuer = (issuer: string): string | undefined => {
  if (!URL.canParse(issuer)) return undefined
  const { origin, pathname } = new URL(issuer)
  return `${origin}${pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "")}`
}
