import type { DigestPort, EntropyPort } from "../ports/index.ts"
import { encodeBase64Url } from "../wire/index.ts"

const poolSize = 4096

/**
 * Randomness from `crypto.getRandomValues`, drawn from a pool, since one large draw costs no more than a small one. Bytes are copied
 * out and wiped, so none is given twice. The pool is first filled when first asked: some runtimes allow no randomness before a request.
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

/** SHA-2 by `crypto.subtle`. */
export const webDigest: DigestPort = {
  sha256: (content) => digest("SHA-256", content),
  sha512: (text) => digest("SHA-512", text),
}
