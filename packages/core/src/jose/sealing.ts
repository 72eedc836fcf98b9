import { CompactEncrypt, base64url, compactDecrypt } from "jose"

/** A private key that cannot be used: sealed without the key that opens it, or damaged. The text is for the operator. */
export class KeyUnreadable extends Error {
  override readonly name = "KeyUnreadable"
  readonly kid: string

  constructor(kid: string, reason: string) {
    super(`signing key ${kid} ${reason}`)
    this.kid = kid
  }
}

/** Seals at rest what must be read again: private keys, and secrets that clients sign with. `kid` names the row it belongs to. */
export interface KeyEncryption {
  /** Seals a private JWK. */
  readonly seal: (kid: string, privateJwk: string) => Promise<string>
  /** Fails with {@link KeyUnreadable}. */
  readonly open: (kid: string, sealed: string) => Promise<string>
}

/** Reports whether the text is a compact JWE (RFC 7516 §3.1) rather than a JWK's JSON. */
export const isSealed = (privateJwk: string): boolean => !privateJwk.startsWith("{")

/**
 * Seals with A256GCM under a key-encryption key of 32 bytes in base64url (RFC 7518 §4.5, §5.3). The kid is part of what is
 * authenticated, so a sealed key cannot be moved to another row. Throws a RangeError when the key is not 32 bytes.
 */
export const keyEncryption = (key: string): KeyEncryption => {
  if (!/^[A-Za-z0-9_-]{43}$/.test(key))
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
