import { type LookupFunction, isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** The IPv6 range of the public internet (RFC 4291 §2.4). Other ranges are reserved or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Reports whether an address is public. Addresses of private networks, this machine or link, carrier-grade NAT, multicast and documentation
 * are not, nor are those that embed another (IPv4-mapped, 6to4, Teredo, NAT64), nor text that is not an address.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const read = ipaddr.parse(address)
  return read.range() === "unicast" && (read instanceof ipaddr.IPv4 || read.match(globalUnicast))
}

/** Reports whether an address is a loopback address. */
export const isLoopbackAddress = (address: string): boolean => isIP(address) !== 0 && ipaddr.parse(address).range() === "loopback"

/**
 * Creates a `lookup` function for Node requests that returns the addresses already checked, so that a second DNS answer cannot redirect the
 * connection.
 */
export const pinned =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_, { all }, found) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = known
    if (all === true) found(null, known)
    else found(null, first?.address ?? "", first?.family)
  }
