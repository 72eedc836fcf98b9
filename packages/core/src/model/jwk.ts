import type { JsonObject } from "./json.ts"

/** A set of public keys as its owner publishes it (RFC 7517 §5). Nothing in it is believed but what the key itself proves. */
export interface JwkSet {
  /** The keys. */
  readonly keys: ReadonlyArray<JsonObject>
}

/** The members that make a JWK private, or a shared secret (RFC 7518 §6.2.2, §6.3.2, §6.4, RFC 8037 §2). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

/** Finds a member of a key that only its owner may have; undefined where it shows none. */
export const privateMember = (key: JsonObject): string | undefined => privateMembers.find((name) => name in key)

/** Source of another party's keys: stated, or published under a URL. */
export interface KeySource {
  /** The keys themselves. */
  readonly jwks?: JwkSet | undefined
  /** The URL that publishes them. */
  readonly jwksUri?: string | undefined
  /** True for keys and other URLs of a client that no operator registered: what is fetched for it takes no place of others. */
  readonly ofStranger?: true | undefined
}

/** Algorithms that a JWT of somebody else may be signed with (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2). Never `none`, never a shared secret. */
export const peerAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const

/** Algorithms that a JWT may be signed with by a shared secret (RFC 7518 §3.2). */
export const secretAlgorithms = ["HS256", "HS384", "HS512"] as const

/** Algorithms that this provider signs tokens with (RFC 7518 §3.1, RFC 8037 §3.1), the default first. */
export const signingAlgorithms = ["RS256", "ES256", "PS256", "EdDSA"] as const

/** An algorithm that this provider signs tokens with. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** Algorithms that encrypt a content encryption key, or agree on it (RFC 7518 §4.1). */
export const keyEncryptionAlgorithms = ["RSA-OAEP-256", "RSA-OAEP", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"] as const

/** Algorithms that encrypt content (RFC 7518 §5.1). */
export const contentEncryptionAlgorithms = ["A128CBC-HS256", "A256CBC-HS512", "A128GCM", "A256GCM"] as const

/** An algorithm that encrypts a content encryption key, or agrees on it. */
export type KeyEncryptionAlgorithm = (typeof keyEncryptionAlgorithms)[number]

/** An algorithm that encrypts content. */
export type ContentEncryptionAlgorithm = (typeof contentEncryptionAlgorithms)[number]

/** The algorithms that encrypt something for its reader. */
export interface EncryptionChoice {
  /** The algorithm that encrypts the key (RFC 7518 §4.1). */
  readonly alg: KeyEncryptionAlgorithm
  /** The algorithm that encrypts the content (RFC 7518 §5.1). */
  readonly enc: ContentEncryptionAlgorithm
}

/** The encryption that metadata asks for: A128CBC-HS256 unless it states another (OpenID Connect Dynamic Client Registration §2). */
export const encryptionChoice = (
  alg: KeyEncryptionAlgorithm | undefined,
  enc: ContentEncryptionAlgorithm | undefined,
): EncryptionChoice | undefined => alg && { alg, enc: enc ?? "A128CBC-HS256" }

/** Something to be encrypted, once it is signed, with a key of its reader. */
export interface EncryptionPlan extends EncryptionChoice {
  /** The keys of the recipient. */
  readonly keys: KeySource
}
