import { CompactEncrypt, base64url, compactDecrypt } from "jose"

/**
 * A private key that cannot be used, because it is encrypted and there is no key to decrypt it, or because it is damaged. The text is for
 * the operator.
 */
export class KeyUnreadable extends Error {
  override readonly name = "KeyUnreadable"
  readonly kid: string

  constructor(kid: string, reason: string) {
    super(`signing key ${kid} ${reason}`)
    this.kid = kid
  }
}

/** Encrypts readable secrets at rest: private keys, and secrets that clients sign with. `kid` identifies the row. */
export interface KeyEncryption {
  /** Encrypts a private JWK. */
  readonly seal: (kid: string, privateJwk: string) => Promise<string>
  /** Decrypts a private JWK. Fails with {@link KeyUnreadable}. */
  readonly open: (kid: string, sealed: string) => Promise<string>
}

/** Reports whether the text is a compact JWE (RFC 7516 §3.1) rather than a JWK as JSON. */
export const isSealed = (privateJwk: string): boolean => !privateJwk.startsWith("{")

/**
 * Encrypts with A256GCM and a key-encryption key of 32 bytes in base64url (RFC 7518 §4.5, §5.3). The kid is authenticated too, so that an
 * encrypted key cannot be moved to another row. Throws a RangeError if the key is not 32 bytes.
 */
export const keyEncryption = (key: string): KeyEncryption => {
  if (typeof key !== "string" || !/^[A-Za-z0-9_-]{43}$/.test(key))
    throw new RangeError("the key-encryption key must be 32 bytes in base64url: 43 characters of A-Z a-z 0-9 - _")
  const bytes = base64url.decode(key)
  return {
    seal: (kid, privateJwk) =>
      new CompactEncrypt(new TextEncoder().encode(privateJwk)).setProtectedHeader({ alg: "dir", enc: "A256GCM", kid }).encrypt(bytes),
    open: async (kid, sealed) => {
      const opened = await compactDecrypt(sealed, bytes, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      }).catch(() => undefined)
      if (opened === undefined) throw new KeyUnreadable(kid, "cannot be opened with the configured key-encryption key")
      if (opened.protectedHeader.kid !== kid) throw new KeyUnreadable(kid, "holds the sealed key of another row")
      return new TextDecoder().decode(opened.plaintext)
    },
  }
}
