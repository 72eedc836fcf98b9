import { type Instant, type Json, type JsonObject, type JwkSet, type Seconds, isJsonObject } from "../../model/index.ts"

/** The longest proof that is read, in characters: one with an RSA key of 4096 bits is shorter. */
export const longestProof = 8192

/** The longest `jti`, in characters: whoever makes them up needs 22. */
export const longestJti = 256

/** The algorithms that proofs may be signed with: asymmetric alone (RFC 9449 §4.3, 5). */
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

/** The most seconds that a client's clock may be ahead of ours (FAPI 2.0 Security Profile §5.3.2.1, 13). */
export const ahead = 10

/** The most seconds that a clock is ahead where a nonce tells the time instead of it. */
export const farAhead = 60

/** The members that make a public key of a kind, and the characters of each in base64url. An RSA key has 2048 to 4096 bits and a small exponent, or verifying would cost too much. */
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

/** Base64url in the one way to write it: bits after the last byte that are not zero would give a key a second thumbprint (RFC 4648 §3.5, RFC 7638 §3.1). */
const canonical = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/

/** A number that begins with a byte of zeros, which would give a key another thumbprint too (RFC 7518 §2, §6.3.1.1). */
const padded = /^A[A-P]/

/** Keys by the `jwk` that they were read from, with the algorithm they were read for: `readJwt` gives the same object for a header that it has read lately. */
const publicKeys = new WeakMap<JsonObject, { readonly alg: string; readonly key: JsonObject | undefined }>()

/** The members of a key that its thumbprint is made of, in order (RFC 7638 §3.2); undefined for a key that the algorithm cannot use. */
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
    if (value.length < least || value.length > most || !canonical.test(value) || (kty === "RSA" && padded.test(value))) return undefined
    // The order of the thumbprint: of the members of an RSA key one comes before this.
    if (name > "kty") members["kty"] = kty
    members[name] = value
  }
  return members
}

/** Percent-encoded characters that need not be, decoded, and the others in upper case (RFC 3986 §6.2.2.1, §6.2.2.2). */
const decoded = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
  })

/** The longest address that is normalized, in characters. */
const longestAddress = 2048

/**
 * An address as it is compared: without query and fragment, by syntax and scheme (RFC 9449 §4.3, 9; RFC 3986 §6.2.2, §6.2.3). Undefined for what is no
 * address of the web, or holds what a URL parser would forgive.
 */
export const normalAddress = (address: string): string | undefined => {
  if (address.length > longestAddress || !/^https?:\/\/[^\s\\@/?#]+(?:[/?#][!-[\]-~]*)?$/i.test(address) || !URL.canParse(address))
    return undefined
  const { origin, pathname } = new URL(address)
  return origin + decoded(pathname)
}

/** The text whose digest is the thumbprint of a public key (RFC 7638 §3.1). */
export const thumbprintText = (key: JsonObject): string => JSON.stringify(key)

/** The text whose digest stands for the use of a proof: two keys may come to the same jti (RFC 9449 §4.2). */
export const useText = (jkt: string, jti: string): string => `postern dpop proof ${JSON.stringify([jkt, jti])}`

/** Sets of one key: `publicKey` gives the same object for a key that it has read lately. */
const sets = new WeakMap<JsonObject, JwkSet>()

/**
 * The keys that a proof is verified with: the key in its header is the only one, so a kid beside it must not lead away from it. A client signs many proofs
 * with one key, and whoever verifies imports a set once: that takes a fifth of a verification.
 */
export const proofKeys = (key: JsonObject, kid: Json | undefined): JwkSet => {
  const known = sets.get(key)
  if (known !== undefined && known.keys[0]?.["kid"] === kid) return known
  const keys = { keys: [kid === undefined ? key : { ...key, kid }] }
  sets.set(key, keys)
  return keys
}

/** The time until which the use of a proof is remembered: as long as it would pass again, on a machine whose clock is behind too. */
export const usedUntil = (iat: number, window: Seconds, nonceUntil: Instant | undefined): Instant =>
  Math.ceil(nonceUntil ?? iat + window) + ahead + 1

/** Facts of a proof for its trail: what it was compared with, and what it said itself. */
export const proofFacts = (told: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> => {
  const facts: Record<string, string> = {}
  for (const name in told) if (told[name] !== undefined) facts[`dpop ${name}`] = String(told[name])
  return facts
}
