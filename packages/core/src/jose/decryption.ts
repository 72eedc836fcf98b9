import { compactDecrypt } from "jose"
import { contentEncryptionAlgorithms } from "../model/index.ts"
import type { KeyAlgorithm } from "./signingKey.ts"

/** Decrypts a compact JWE with a key and its algorithm; undefined if that fails. */
export type Decrypt = (jwe: string, key: CryptoKey, alg: KeyAlgorithm) => Promise<string | undefined>

/** Decrypts with jose. */
export const decrypted: Decrypt = async (jwe, key, alg) => {
  const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [...contentEncryptionAlgorithms] }
  const opened = await compactDecrypt(jwe, key, options).catch(() => undefined)
  return opened && new TextDecoder().decode(opened.plaintext)
}
