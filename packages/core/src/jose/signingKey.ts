import type { Instant, KeyEncryptionAlgorithm, SigningAlgorithm } from "../model/index.ts"
import type { Awaitable, PublicJwk } from "../ports/index.ts"

/** The purpose of a provider's key: it signs, or, where request objects may come encrypted, it decrypts. */
export type KeyAlgorithm = SigningAlgorithm | KeyEncryptionAlgorithm

/**
 * A signing key as a store keeps it. A row never changes: when a key signs and when it leaves follows from the keys that come after it
 * (see {@link ringOf}), so adding a row is all that a rotation has to make durable.
 */
export interface SigningKey {
  /** The RFC 7638 thumbprint of the public key, so no two keys share one and a private key can be told from a stranger's. */
  readonly kid: string
  /** The algorithm of the key. */
  readonly alg: KeyAlgorithm
  /** The private JWK as JSON text, or the compact JWE that seals it ({@link keyEncryption}). */
  readonly privateJwk: string
  /** The public half, as it is published. */
  readonly publicJwk: PublicJwk
  /** Published from then on. */
  readonly createdAt: Instant
  /** Signs from then on, until another key of its algorithm does. */
  readonly activeAt: Instant
}

/** The store of signing keys. An embedder's own store passes `signingKeyStoreContract` of `@postern/core/testing`. */
export interface SigningKeyStore {
  /** Every key, in any order. */
  readonly list: () => Awaitable<ReadonlyArray<SigningKey>>
  /**
   * Adds keys, all or none, if the store holds exactly the kids in `seen`; else a conflict. So of two processes that find the same key
   * missing one adds it, and the other lists again. A kid that exists already is a conflict too.
   */
  readonly add: (added: ReadonlyArray<SigningKey>, seen: ReadonlyArray<string>) => Awaitable<"Committed" | "Conflict">
  /** Removes keys. No guard: an unknown kid changes nothing. */
  readonly remove: (kids: ReadonlyArray<string>) => Awaitable<void>
}

export { signingAlgorithms } from "../model/index.ts"

/** Every algorithm Postern can decrypt with: RSA of 2048 bits, and P-256. */
export const encryptionAlgorithms: ReadonlyArray<KeyEncryptionAlgorithm> = ["RSA-OAEP-256", "ECDH-ES"]
