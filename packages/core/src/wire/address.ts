/** What counts as one address: an IPv4 address, or the /64 of an IPv6 one, which its holder has to itself. */
export const addressKey = (address: string): string => {
  if (!address.includes(":")) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::")
  const [left, right] = [head, tail ?? ""].map((half) => half.split(":").filter((group) => group !== ""))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))
  const groups = [...(left ?? []), ...Array.from({ length: zeros }, () => "0"), ...(right ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}
