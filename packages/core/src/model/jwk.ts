import type { Json, JsonObject } from "./json.ts"

/** A set of public keys as its owner publishes it (RFC 7517 §5). Only the key material itself is trusted. */
export interface JwkSet {
  /** The keys. */
  readonly keys: ReadonlyArray<JsonObject>
}

/** The members that make a JWK private, or a shared secret (RFC 7518 §6.2.2, §6.3.2, §6.4, RFC 8037 §2). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

/** Finds a private member of a key; undefined if there is none. */
export const privateMember = (key: JsonObject): string | undefined => privateMembers.find((name) => name in key)

/** The source of another party's keys: inline, or at a URL. */
export interface KeySource {
  /** The keys themselves. */
  readonly jwks?: JwkSet | undefined
  /** The URL that publishes them. */
  readonly jwksUri?: string | undefined
  /** True if no operator registered the client. Fetches of its URLs then use up no slot of others. */
  readonly ofStranger?: true | undefined
}

/**
 * Algorithms that another party's JWT may be signed with (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2): never `none`, and never a shared
 * secret.
 */
export const peerAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const

/** Algorithms that sign a JWT with a shared secret (RFC 7518 §3.2). */
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

/** The curves of public keys, and the length of each coordinate in characters of base64url (RFC 7518 §6.2.1, RFC 8037 §2). */
const curves = {
  "P-256": ["EC", 43],
  "P-384": ["EC", 64],
  "P-521": ["EC", 88],
  Ed25519: ["OKP", 43],
  X25519: ["OKP", 43],
} as const

const agreeing = ["P-256", "P-384", "P-521", "X25519"] as const

/** The curves by algorithm; the other algorithms take RSA keys. */
const curvesOf: Readonly<Record<string, ReadonlyArray<keyof typeof curves>>> = {
  ES256: ["P-256"],
  ES384: ["P-384"],
  ES512: ["P-521"],
  EdDSA: ["Ed25519"],
  Ed25519: ["Ed25519"],
  "ECDH-ES": agreeing,
  "ECDH-ES+A128KW": agreeing,
  "ECDH-ES+A256KW": agreeing,
}

/** The length of a modulus of 2048 bits, in characters of base64url: no shorter one will do (RFC 7518 §3.3, §4.2). */
const shortestModulus = 342

const isEncoded = (value: Json | undefined, least: number, most = least): boolean =>
  typeof value === "string" && value.length >= least && value.length <= most && /^[\w-]*$/.test(value)

const hasForm = ({ kty, crv, x, y, n, e }: JsonObject, alg: string): boolean => {
  const accepted = curvesOf[alg]
  if (accepted === undefined) return kty === "RSA" && isEncoded(n, shortestModulus, 4_096) && isEncoded(e, 1, 16)
  const named = accepted.find((each) => each === crv)
  if (named === undefined) return false
  const [kind, length] = curves[named]
  return kty === kind && isEncoded(x, length) && (kind === "OKP" || isEncoded(y, length))
}

/** The operations of a public key that encrypt, or verify (RFC 7517 §4.3). */
const operations = { enc: ["encrypt", "wrapKey", "deriveKey", "deriveBits"], sig: ["verify"] } as const

/**
 * Reports whether a public key can encrypt by an algorithm, or verify signatures by it: its members have the form that the algorithm needs
 * (RFC 7518 §6, RFC 8037 §2), and no restriction forbids it (RFC 7517 §4.2 to §4.4).
 */
export const fitsAlgorithm = (key: JsonObject, alg: string): boolean => {
  const { use: stated, alg: only, key_ops: named } = key
  const use = keyEncryptionAlgorithms.some((each) => each === alg) ? "enc" : "sig"
  return (
    hasForm(key, alg) &&
    (stated === undefined || stated === use) &&
    (only === undefined || only === alg) &&
    (!Array.isArray(named) || operations[use].some((each) => named.includes(each)))
  )
}

/** An algorithm that encrypts content. */
export type ContentEncryptionAlgorithm = (typeof contentEncryptionAlgorithms)[number]

/** The algorithms with which a message is encrypted for its recipient. */
export interface EncryptionChoice {
  /** The algorithm that encrypts the key (RFC 7518 §4.1). */
  readonly alg: KeyEncryptionAlgorithm
  /** The algorithm that encrypts the content (RFC 7518 §5.1). */
  readonly enc: ContentEncryptionAlgorithm
}

/** Returns the encryption that client metadata requests, with A128CBC-HS256 by default (OpenID Connect Dynamic Client Registration §2). */
export const encryptionChoice = (
  alg: KeyEncryptionAlgorithm | undefined,
  enc: ContentEncryptionAlgorithm | undefined,
): EncryptionChoice | undefined => alg && { alg, enc: enc ?? "A128CBC-HS256" }

/** An encryption that is applied after signing, with a key of the recipient. */
export interface EncryptionPlan extends EncryptionChoice {
  /** The keys of the recipient. */
  readonly keys: KeySource
}
