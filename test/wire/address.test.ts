import { addressKey, coarseAddress } from "@postern/core/wire"
import { expect, test } from "vitest"

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:192.0.2.77", "192.0.2.77"],
  ["2001:db8:a:b:1:2:3:4", "2001:db8:a:b::/64"],
  ["2001:0DB8:000a:0000:1:2:3:4", "2001:db8:a:0::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8:a::1:2:3:4", "2001:db8:a:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["1::", "1:0:0:0::/64"],
  ["::1:2:3:4:5:6:7", "0:1:2:3::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  // Not an IPv4 address that IPv6 carries: text before or behind it, or too few parts.
  ["1::ffff:192.0.2.7", "1:0:0:0::/64"],
  ["::ffff:192.0.2.7:1", "0:0:0:0::/64"],
])("RFC 4291 §2.5.4: %s counts as %s", (address, key) => {
  expect(addressKey(address)).toBe(key)
})

test.each([
  ["192.0.2.7", "192.0.2.0/24"],
  ["192.0.2.177", "192.0.2.0/24"],
  ["::ffff:198.51.100.23", "198.51.100.0/24"],
  ["2001:db8:a:b:1:2:3:4", "2001:db8:a::/48"],
  ["2001:db8::1", "2001:db8:0::/48"],
])("RFC 4291 §2.5.4: %s is shown as %s", (address, network) => {
  expect(coarseAddress(address)).toBe(network)
})

test("an address of any length costs and keeps no more than 64 characters", () => {
  const long = `${"1:".repeat(40)}2`
  expect(addressKey(long)).toBe(addressKey(long.slice(0, 64)))
  expect(addressKey("9".repeat(100_000))).toHaveLength(64)
  expect(coarseAddress("9".repeat(100_000)).length).toBeLessThan(70)
})
