import { compactDecrypt } from "jose"
import { contentEncryptionAlgorithms } from "../model/index.ts"
import { compact } from "./compact.ts"
import type { KeyAlgorithm } from "./signingKey.ts"

/** Decrypts a compact JWE with a key and its algorithm; undefined if that fails. */
export type Decrypt = (jwe: string, key: CryptoKey, alg: KeyAlgorithm) => Promise<string | undefined>

/** Decrypts with jose. */
export const decrypted: Decrypt = async (jwe, key, alg) => {
  const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [...contentEncryptionAlgorithms] }
  try {
    return new TextDecoder().decode((await compactDecrypt(compact(jwe), key, options)).plaintext)
  } catch {
    // Another key may open it.
    return undefined
  }
}
