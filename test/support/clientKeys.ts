import type { Json, JsonObject } from "@postern/core"
import { type CryptoKey, compactDecrypt, exportJWK, generateKeyPair } from "jose"

/** A key pair of a client: what it publishes, and what it keeps. */
export interface ClientKey {
  readonly publicJwk: JsonObject
  readonly privateKey: CryptoKey
}

const made = new Map<string, Promise<ClientKey>>()

const make = async (alg: string, kid: string): Promise<ClientKey> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const use = /^(?:RSA-OAEP|ECDH-ES)/.test(alg) ? "enc" : "sig"
  return { publicJwk: { ...((await exportJWK(publicKey)) as Record<string, Json>), alg, use, kid }, privateKey }
}

/** A key pair for an algorithm, made once. */
export const clientKey = (alg: string, kid = alg): Promise<ClientKey> => {
  const known = made.get(`${alg} ${kid}`) ?? make(alg, kid)
  made.set(`${alg} ${kid}`, known)
  return known
}

/** Decrypts a JWE as its client would: the text inside, and the header. */
export const opened = async (
  jwe: string,
  alg: string,
  kid = alg,
): Promise<{ readonly text: string; readonly header: Record<string, unknown> }> => {
  const { plaintext, protectedHeader } = await compactDecrypt(jwe, (await clientKey(alg, kid)).privateKey)
  return { text: new TextDecoder().decode(plaintext), header: { ...protectedHeader } }
}
