import { type LookupFunction, isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** The IPv6 range of the public internet (RFC 4291 §2.4); the others have another meaning, or none. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Reports whether an address is a public one of the internet: none of a private network, of this machine or link, of a carrier's NAT, of a
 * group, of documentation, and none that embeds another (IPv4-mapped, 6to4, Teredo, NAT64). Anything but an address is not.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const read = ipaddr.parse(address)
  return read.range() === "unicast" && (read instanceof ipaddr.IPv4 || read.match(globalUnicast))
}

/** Reports whether an address is one of this very machine's. */
export const isLoopbackAddress = (address: string): boolean => isIP(address) !== 0 && ipaddr.parse(address).range() === "loopback"

/** Answers with the addresses that were looked at, so that no second answer of the name can lead elsewhere: the `lookup` of a request of Node. */
export const pinned =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_, { all }, found) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = known
    if (all === true) found(null, known)
    else found(null, first?.address ?? "", first?.family)
  }
