import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { webDigest, webEntropy } from "@postern/core/webcrypto"

describe("entropy", () => {
  it("gives as many bytes as asked, never the same twice, and none that another holder can change", () => {
    const entropy = webEntropy()
    const drawn = Array.from({ length: 1000 }, () => entropy.bytes(32))
    expect(new Set(drawn.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(1000)
    expect(new Set(drawn.map((bytes) => bytes.buffer)).size).toBe(1000)
    expect([0, 1, 6, 4096, 5000].map((count) => entropy.bytes(count).length)).toEqual([0, 1, 6, 4096, 5000])
  })

  it("uses the whole range of a byte", () => {
    expect(new Set(webEntropy().bytes(4096)).size).toBe(256)
  })
})

describe("digests", () => {
  it.each(["", "abc", "ünïcödé 🗝", "x".repeat(10_000)])("are SHA-2 of the UTF-8 bytes (%#)", async (text) => {
    expect(await webDigest.sha256(text)).toBe(createHash("sha256").update(text).digest("base64url"))
    expect(await webDigest.sha512(text)).toBe(createHash("sha512").update(text).digest("base64url"))
  })
})
