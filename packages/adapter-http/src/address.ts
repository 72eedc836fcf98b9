import { BlockList, isIP, isIPv4 } from "node:net"
import { kindFault, refuseFaults } from "@postern/core/options"

/** The maximum number of consecutive proxies that are trusted. */
const mostHops = 100

/** Determines a caller's address from the connection's peer and `X-Forwarded-For`. */
export type CallerAddress = (peer: string | undefined, forwardedFor: string | undefined) => string | undefined

/**
 * Trusts `X-Forwarded-For` as far as trusted proxies wrote it. The list is read from the right, and the first address that is not a trusted
 * proxy's is the caller's. Proxies are IP addresses or networks (`10.0.0.0/8`). Throws for an entry that is neither.
 */
export const callerAddress = (trustedProxies: ReadonlyArray<string>): CallerAddress => {
  refuseFaults("callerAddress", kindFault("trustedProxies", trustedProxies, "texts"))
  if (trustedProxies.length === 0) return (peer) => plain(peer)
  const trusted = networks(trustedProxies)
  const isTrusted = (address: string): boolean => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
  return (peer, forwardedFor) => {
    let nearest = plain(peer)
    let rest = forwardedFor
    for (let hops = 0; nearest !== undefined && hops < mostHops && isTrusted(nearest); hops++) {
      const comma = rest?.lastIndexOf(",") ?? -1
      const hop = rest?.slice(comma + 1)
      rest = comma < 0 ? undefined : rest?.slice(0, comma)
      // A hop that is not an IP address (`unknown` or an obfuscated identifier) ends the chain at the last known address.
      const before = hop === undefined ? undefined : plain(withoutPort(hop.trim()))
      if (before === undefined) return nearest
      nearest = before
    }
    return nearest
  }
}

/** Returns a predicate that matches the given addresses and networks. Throws for an entry that is neither. */
export const addressList = (entries: ReadonlyArray<string>): ((address: string | undefined) => boolean) => {
  const list = networks(entries)
  return (address) => {
    const bare = plain(address)
    return bare !== undefined && list.check(bare, isIP(bare) === 6 ? "ipv6" : "ipv4")
  }
}

const networks = (entries: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = "", prefix, ...more] = entry.split("/")
    const version = isIP(address)
    const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    const most = version === 6 ? 128 : 32
    if (version === 0 || more.length > 0 || (bits !== undefined && !(bits <= most)))
      throw new Error(`trusted proxy "${entry}" is neither an IP address nor a network such as 10.0.0.0/8`)
    const family = version === 6 ? "ipv6" : "ipv4"
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, bits, family)
  }
  return list
}

/** Normalizes an address: an IPv4-mapped IPv6 address becomes IPv4, and the zone is removed. */
const plain = (address: string | undefined): string | undefined => {
  if (address === undefined || isIPv4(address)) return address
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "")
  return isIP(bare) === 0 ? undefined : bare
}

const withoutPort = (hop: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)
  if (bracketed !== null) return bracketed[1] ?? ""
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop
}

/** Header fields that proxies add, in addition to those that begin with `x-forwarded-`. */
const proxyMarks: ReadonlySet<string> = new Set(["forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip", "x-client-ip"])

/** A Host that can only denote this machine (RFC 6761 §6.3, RFC 5735 §3). */
const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d*)?$/i

/**
 * Reports whether a request comes from this machine, was not forwarded by a proxy on it, and has a Host that names this machine. In a DNS
 * rebinding attack, a page whose own name was pointed at this machine sends that name as its Host. Only non-browser clients omit Host.
 */
export const isLocal = (peer: string | undefined, headers: Readonly<Record<string, unknown>>): boolean => {
  const address = plain(peer)
  const passedOn = Object.keys(headers).some((name) => proxyMarks.has(name) || name.startsWith("x-forwarded-"))
  const { host } = headers
  const named = host === undefined || (typeof host === "string" && localHost.test(host))
  return named && !passedOn && (address === "::1" || address?.startsWith("127.") === true)
}
