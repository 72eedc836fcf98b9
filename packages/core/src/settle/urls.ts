import { basePathOf } from "../wire/index.ts"
import type { Inquiry } from "./inquiry.ts"

/** Returns the URLs of a path at the additional hosts of features (RFC 8705 §5). */
const aliasesOf = (path: string, { ports: { settings }, parts: { hosts } }: Inquiry): ReadonlyArray<string> => {
  if (hosts.length === 0) return []
  const below = path.slice(basePathOf(settings.issuer).length)
  return hosts.flatMap((each) => each(settings) ?? []).map((base) => base + below)
}

/**
 * Returns the public URLs of a path: below the issuer's origin, and at each alias. They come from the configuration, because the sender
 * controls the Host header (RFC 9449 §4.3, 9).
 */
export const publicUrls = (path: string, inquiry: Inquiry): ReadonlyArray<string> => {
  const { issuer } = inquiry.ports.settings
  const origin = /^[a-z]+:\/\/[^/]+/i.exec(issuer)?.[0] ?? issuer
  return [...new Set([origin + path, ...aliasesOf(path, inquiry)])]
}
