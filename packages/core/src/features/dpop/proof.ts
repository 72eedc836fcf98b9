import { type Instant, type Json, type JsonObject, type JwkSet, type Seconds, isJsonObject } from "../../model/index.ts"
import { decodeBase64Url, encodeBase64Url } from "../../wire/index.ts"

/** The longest proof that is read, in characters. A proof with an RSA key of 4096 bits is shorter. */
export const longestProof = 8192

/** The longest `jti`, in characters. 22 suffice for a random one. */
export const longestJti = 256

/** The algorithms with which proofs may be signed, all of them asymmetric (RFC 9449 §4.3, 5). */
export const proofAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
] as const

/** The most seconds by which a client's clock may be ahead of the server's (FAPI 2.0 Security Profile §5.3.2.1, 13). */
export const ahead = 10

/** The most seconds by which a client's clock may be ahead if a nonce shows the time instead. */
export const farAhead = 60

/**
 * The members of a public key of each kind, and their lengths in base64url characters. An RSA key has 2048 to 4096 bits and a small
 * exponent, because verification would otherwise be too expensive.
 */
const kinds: Readonly<Record<string, ReadonlyArray<readonly [member: string, least: number, most: number]>>> = {
  "EC P-256": [
    ["x", 43, 43],
    ["y", 43, 43],
  ],
  "EC P-384": [
    ["x", 64, 64],
    ["y", 64, 64],
  ],
  "EC P-521": [
    ["x", 88, 88],
    ["y", 88, 88],
  ],
  "OKP Ed25519": [["x", 43, 43]],
  RSA: [
    ["e", 2, 6],
    ["n", 342, 683],
  ],
}

/** The kind of key that an algorithm is for. */
const kindOf = (alg: string): string => {
  if (alg.startsWith("Ed")) return "OKP Ed25519"
  if (!alg.startsWith("ES")) return "RSA"
  return { ES256: "EC P-256", ES384: "EC P-384" }[alg] ?? "EC P-521"
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** Keys by the `jwk` and the algorithm that they were read for. `readJwt` returns the same object for a header that it has read recently. */
const publicKeys = new WeakMap<JsonObject, { readonly alg: string; readonly key: JsonObject | undefined }>()

/** The members of a key that its thumbprint covers, in order (RFC 7638 §3.2); undefined for a key that the algorithm cannot use. */
export const publicKey = (jwk: Json | undefined, alg: string): JsonObject | undefined => {
  if (!isJsonObject(jwk)) return undefined
  const known = publicKeys.get(jwk)
  if (known?.alg === alg) return known.key
  const key = membersOf(jwk, alg)
  publicKeys.set(jwk, { alg, key })
  return key
}

const membersOf = (key: JsonObject, alg: string): JsonObject | undefined => {
  const kind = kindOf(alg)
  const [kty = "", crv] = kind.split(" ")
  if (key["kty"] !== kty || (crv !== undefined && key["crv"] !== crv)) return undefined
  const members: Record<string, string> = crv === undefined ? {} : { crv, kty }
  for (const [name, least, most] of kinds[kind] ?? []) {
    const value = text(key[name])
    const bytes = decodeBase64Url(value)
    if (value.length < least || value.length > most || bytes === undefined) return undefined
    // Otherwise one key would have several thumbprints (RFC 7638 §3.1): bits after the last byte (RFC 4648 §3.5), and zeros before a number (RFC 7518 §6.3.1).
    // An RSA key's numbers are odd, and with an exponent of 1 everybody's signature would be valid (RFC 8017 §3.1).
    if (encodeBase64Url(bytes) !== value || (kty === "RSA" && (bytes[0] === 0 || value === "AQ" || Number(bytes.at(-1)) % 2 === 0)))
      return undefined
    // The members are in the order of the thumbprint, in which one member of an RSA key comes before kty.
    if (name > "kty") members["kty"] = kty
    members[name] = value
  }
  return members
}

/** Decodes percent-encoded characters that need no encoding, and writes the others in upper case (RFC 3986 §6.2.2.1, §6.2.2.2). */
const decoded = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
  })

/** The longest address that is normalized, in characters. */
const longestAddress = 2048

/**
 * Normalizes a URL for comparison: without query and fragment, by syntax and scheme (RFC 9449 §4.3, 9; RFC 3986 §6.2.2, §6.2.3). Undefined
 * if it is not a web address, or has a fault that a URL parser would tolerate.
 */
export const normalAddress = (address: string): string | undefined => {
  if (address.length > longestAddress || !/^https?:\/\/[^\s\\@/?#]+(?:[/?#][!-[\]-~]*)?$/i.test(address) || !URL.canParse(address))
    return undefined
  const { origin, pathname } = new URL(address)
  return origin + decoded(pathname)
}

/** The text whose digest is the thumbprint of a public key (RFC 7638 §3.1). */
export const thumbprintText = (key: JsonObject): string => JSON.stringify(key)

/** The text whose digest identifies the use of a proof. It includes the key, because two keys may use the same jti (RFC 9449 §4.2). */
export const useText = (jkt: string, jti: string): string => `postern dpop proof ${JSON.stringify([jkt, jti])}`

/** Sets of one key. `publicKey` returns the same object for a key that it has read recently. */
const sets = new WeakMap<JsonObject, JwkSet>()

/**
 * The keys with which a proof is verified. The key in its header is the only one, so a kid in the header must not select another. A client
 * signs many proofs with one key, and the verifier imports a set only once; an import takes a fifth of a verification.
 */
export const proofKeys = (key: JsonObject, kid: Json | undefined): JwkSet => {
  const known = sets.get(key)
  if (known !== undefined && known.keys[0]?.["kid"] === kid) return known
  const keys = { keys: [kid === undefined ? key : { ...key, kid }] }
  sets.set(key, keys)
  return keys
}

/**
 * The time until which the use of a proof is remembered: as long as the proof could be accepted again, even on a machine whose clock is
 * behind.
 */
export const usedUntil = (iat: number, window: Seconds, nonceUntil: Instant | undefined): Instant =>
  Math.ceil(nonceUntil ?? iat + window) + ahead + 1

/** Facts about a proof for its trail: the values that it was compared with, and those that it contains. */
export const proofFacts = (told: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> => {
  const facts: Record<string, string> = {}
  for (const name in told) if (told[name] !== undefined) facts[`dpop ${name}`] = String(told[name])
  return facts
}
