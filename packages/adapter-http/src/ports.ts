import { hash, randomFillSync } from "node:crypto"
import type { DigestPort, EntropyPort } from "@postern/core/ports"

/** SHA-2 in one synchronous call, without the hash object that a stream would need or a buffer for the digest, which costs twice what hashing does. */
export const nodeDigest: DigestPort = {
  sha256: (content) => hash("sha256", content, "base64url"),
  sha512: (text) => hash("sha512", text, "base64url"),
}

const poolSize = 4_096

/** Randomness drawn from the system in larger pieces; what was handed out is wiped from the pool. */
export const nodeEntropy: EntropyPort = (() => {
  const pool = new Uint8Array(poolSize)
  let used = poolSize
  return {
    bytes: (count: number): Uint8Array => {
      if (count > poolSize) return randomFillSync(new Uint8Array(count))
      if (used + count > poolSize) {
        randomFillSync(pool)
        used = 0
      }
      const drawn = new Uint8Array(count)
      // A few bytes are sooner copied one by one than by what copies many.
      for (let at = 0; at < count; at++) {
        drawn[at] = pool[used] ?? 0
        pool[used++] = 0
      }
      return drawn
    },
  }
})()
