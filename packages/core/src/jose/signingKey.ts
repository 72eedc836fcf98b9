import type { Instant, KeyEncryptionAlgorithm, SigningAlgorithm } from "../model/index.ts"
import type { MemberKinds } from "../model/members.ts"
import type { Awaitable, PublicJwk } from "../ports/index.ts"

/** The algorithm of a provider's key: for signatures, or for decryption if request objects may be encrypted. */
export type KeyAlgorithm = SigningAlgorithm | KeyEncryptionAlgorithm

/**
 * A signing key, as stored. A row never changes: the times at which a key signs and is removed follow from later keys (see {@link ringOf}),
 * so that a rotation only needs to add a row.
 */
export interface SigningKey {
  /** The RFC 7638 thumbprint of the public key. It is unique, and allows checking that a private key belongs to it. */
  readonly kid: string
  /** The algorithm of the key. */
  readonly alg: KeyAlgorithm
  /** The private JWK as JSON, or the compact JWE that encrypts it ({@link keyEncryption}). */
  readonly privateJwk: string
  /** The public half, as published. */
  readonly publicJwk: PublicJwk
  /** The time from which it is published. */
  readonly createdAt: Instant
  /** The time from which it signs, until another key of its algorithm does. */
  readonly activeAt: Instant
}

/** The store of signing keys. An embedder's own store passes `signingKeyStoreContract` of `@postern/core/testing`. */
export interface SigningKeyStore {
  /** Every key, in any order. */
  readonly list: () => Awaitable<ReadonlyArray<SigningKey>>
  /**
   * Adds all keys or none, if the store has exactly the kids in `seen`; otherwise it is a conflict. Of two processes that find the same key
   * missing, one adds it and the other lists again. An existing kid is a conflict too.
   */
  readonly add: (added: ReadonlyArray<SigningKey>, seen: ReadonlyArray<string>) => Awaitable<"Committed" | "Conflict">
  /** Removes keys unconditionally; an unknown kid is ignored. */
  readonly remove: (kids: ReadonlyArray<string>) => Awaitable<void>
}

/** The kinds of the members of a store of signing keys. */
export const signingKeyStoreKinds: MemberKinds<SigningKeyStore> = { list: "function", add: "function", remove: "function" }

export { signingAlgorithms } from "../model/index.ts"

/** Every algorithm with which Postern can decrypt: RSA of 2048 bits, and P-256. */
export const encryptionAlgorithms: ReadonlyArray<KeyEncryptionAlgorithm> = ["RSA-OAEP-256", "ECDH-ES"]
