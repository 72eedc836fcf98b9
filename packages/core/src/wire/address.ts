/** Returns the key under which an address is counted: an IPv4 address, or the /64 of an IPv6 one, which belongs to a single holder. */
export const addressKey = (address: string): string => {
  const bounded = address.slice(0, longestAddress)
  return ipv4Of(bounded) ?? `${network(bounded, 4)}::/64`
}

/** Returns the network of an address, too coarse to identify a household: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export const coarseAddress = (address: string): string => {
  const bounded = address.slice(0, longestAddress)
  const v4 = ipv4Of(bounded)
  return v4 === undefined ? `${network(bounded, 3)}::/48` : v4.replace(/\.\d+$/, ".0/24")
}

/** The maximum length of an address, in characters, whatever an adapter passes. */
const longestAddress = 64

/** Returns an IPv4 address, including an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
const ipv4Of = (address: string): string | undefined =>
  address.includes(":") ? /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] : address

/** Returns the first groups of an IPv6 address, without leading zeros. */
const network = (address: string, groupCount: number): string => {
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::")
  const [left, right] = [head, tail ?? ""].map((half) => half.split(":").filter((group) => group !== ""))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))
  const groups = [...(left ?? []), ...Array.from({ length: zeros }, () => "0"), ...(right ?? [])]
  return groups
    .slice(0, groupCount)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")
}
