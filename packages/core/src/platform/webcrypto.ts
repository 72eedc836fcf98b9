import type { DigestPort, EntropyPort } from "../ports/index.ts"
import { encodeBase64Url } from "../wire/index.ts"

const poolSize = 4096

/**
 * Generates randomness with `crypto.getRandomValues` in a pool, because one large call costs no more than a small one. Bytes are copied out
 * and wiped, so that none is used twice. The pool is first filled on first use, because some runtimes allow no randomness before a request.
 */
export const webEntropy = (): EntropyPort => {
  const pool = new Uint8Array(poolSize)
  let used = poolSize
  return {
    bytes: (count) => {
      if (count > poolSize) return crypto.getRandomValues(new Uint8Array(count))
      if (used + count > poolSize) {
        crypto.getRandomValues(pool)
        used = 0
      }
      const taken = pool.slice(used, used + count)
      pool.fill(0, used, used + count)
      used += count
      return taken
    },
  }
}

const digest = async (algorithm: string, content: string | Uint8Array): Promise<string> => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content)
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest(algorithm, bytes)))
}

/** Computes SHA-2 with `crypto.subtle`. */
export const webDigest: DigestPort = {
  sha256: (content) => digest("SHA-256", content),
  sha512: (text) => digest("SHA-512", text),
}
