import { hash, randomFillSync } from "node:crypto"
import type { DigestPort, EntropyPort } from "@postern/core/ports"

/**
 * Computes SHA-2 in one synchronous call. The hash object and digest buffer of a streaming hash would cost twice as much as the hashing
 * itself.
 */
export const nodeDigest: DigestPort = {
  sha256: (content) => hash("sha256", content, "base64url"),
  sha512: (text) => hash("sha512", text, "base64url"),
}

const poolSize = 4_096

/** Random bytes from a pool that is filled from the system in larger blocks. Bytes are wiped from the pool when they are returned. */
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
      // For a few bytes, a loop is faster than a bulk copy.
      for (let at = 0; at < count; at++) {
        drawn[at] = pool[used] ?? 0
        pool[used++] = 0
      }
      return drawn
    },
  }
})()
