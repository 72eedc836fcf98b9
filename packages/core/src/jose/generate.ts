import { type JWK, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose"
import type { Instant } from "../model/index.ts"
import { type MemberKinds, memberFaults, refuseFaults } from "../model/members.ts"
import { publicMembers } from "../model/publicMembers.ts"
import { secondsOf } from "../ports/inSeconds.ts"
import type { PublicJwk } from "../ports/index.ts"
import { type KeyEncryption, KeyUnreadable, isSealed } from "./sealing.ts"
import { type KeyAlgorithm, type SigningKey, encryptionAlgorithms, signingAlgorithms } from "./signingKey.ts"

/** The times at which a key is published and begins to sign. */
export interface KeyTimes {
  /** The time of creation, when the key is published. */
  readonly createdAt: Instant
  /** The time it begins to sign. */
  readonly activeAt: Instant
}

const publicPart = (jwk: JWK, alg: KeyAlgorithm, kid: string): PublicJwk => {
  const members = (publicMembers[jwk.kty ?? ""] ?? []).map((name) => [name, String(jwk[name])] as const)
  return {
    kty: String(jwk.kty),
    kid,
    alg,
    use: encryptionAlgorithms.some((each) => each === alg) ? "enc" : "sig",
    ...Object.fromEntries(members),
  }
}

/** Every algorithm of a key. */
const keyAlgorithms: ReadonlyArray<KeyAlgorithm> = [...signingAlgorithms, ...encryptionAlgorithms]

const timesKinds: MemberKinds<KeyTimes> = { createdAt: "number", activeAt: "number" }

/** Generates a key: RSA of 2048 bits, P-256 or Ed25519. Its private half is encrypted if an encryption is given. */
export const generateKey = async (alg: KeyAlgorithm, times: KeyTimes, encryption?: KeyEncryption): Promise<SigningKey> => {
  const unknown = keyAlgorithms.includes(alg) ? undefined : `alg: must be one of ${keyAlgorithms.join(", ")}`
  refuseFaults("generateKey", unknown, memberFaults(times, timesKinds, "times."))
  for (const [name, at] of Object.entries(times)) secondsOf(`generateKey: times.${name}: is`, at)
  const pair = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(pair.privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  const text = JSON.stringify(jwk)
  const privateJwk = encryption === undefined ? text : await encryption.seal(kid, text)
  return { kid, alg, privateJwk, publicJwk: publicPart(jwk, alg, kid), ...times }
}

const imported = async (jwk: JWK, alg: KeyAlgorithm): Promise<CryptoKey> => {
  const key = await importJWK(jwk, alg)
  if (key instanceof Uint8Array) throw new TypeError("a signing key is never symmetric")
  return key
}

/** One half of a key, as a WebCrypto key and as a JWK. */
export interface OpenKey {
  /** The private key, ready to use. */
  readonly key: CryptoKey
  /** The private key as a JWK. */
  readonly jwk: JWK
}

/** Imports the private half for signing. Fails with {@link KeyUnreadable}. */
export const privateKeyOf = async (key: SigningKey, encryption: KeyEncryption | undefined): Promise<OpenKey> => {
  const { kid, alg, privateJwk } = key
  if (isSealed(privateJwk) && encryption === undefined)
    throw new KeyUnreadable(kid, "is sealed with a key-encryption key, and none is configured")
  const text = isSealed(privateJwk) && encryption !== undefined ? await encryption.open(kid, privateJwk) : privateJwk
  try {
    const jwk: JWK = JSON.parse(text)
    if ((await calculateJwkThumbprint(jwk)) === kid) return { key: await imported(jwk, alg), jwk }
  } catch {
    // Whatever is wrong with the text, the operator gets the same message, which contains no part of it.
  }
  throw new KeyUnreadable(kid, "is damaged: its private half is not a key of that thumbprint")
}

/** Imports the public half for verification. */
export const publicKeyOf = async ({ publicJwk, alg }: SigningKey): Promise<OpenKey> => {
  const jwk = { ...publicJwk, alg }
  return { key: await imported(jwk, alg), jwk }
}
