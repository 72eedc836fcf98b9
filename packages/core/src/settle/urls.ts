import { basePathOf } from "../wire/index.ts"
import type { Inquiry } from "./inquiry.ts"

/** The URLs of a path at the hosts that features state beside the issuer's (RFC 8705 §5). */
const aliasesOf = (path: string, { ports: { settings }, parts: { hosts } }: Inquiry): ReadonlyArray<string> => {
  if (hosts.length === 0) return []
  const below = path.slice(basePathOf(settings.issuer).length)
  return hosts.flatMap((each) => each(settings) ?? []).map((base) => base + below)
}

/**
 * The public URLs of a path: below the issuer's origin, and at each alias. They are configured: a Host header is what its sender wants it to be (RFC 9449 §4.3, 9).
 */
export const publicUrls = (path: string, inquiry: Inquiry): ReadonlyArray<string> => {
  const { issuer } = inquiry.ports.settings
  const origin = /^[a-z]+:\/\/[^/]+/i.exec(issuer)?.[0] ?? issuer
  return [...new Set([origin + path, ...aliasesOf(path, inquiry)])]
}
