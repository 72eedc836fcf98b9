import { type CryptoKey, type JWK, SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose"
import { createHash, randomUUID } from "node:crypto"
import { type Received, json } from "../exchange/exchange.ts"

/** Changes to a proof's header and claims. Undefined removes a member. */
export interface ProofChanges {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** Changes the whole proof. */
  readonly whole?: (proof: string) => string
}

/** A client's DPoP key (RFC 9449). */
export interface ProofKey {
  /** The thumbprint of the key, for `dpop_jkt` and `cnf.jkt`. */
  readonly jkt: string
  readonly publicKey: JWK
  readonly privateKey: JWK
  /** Creates a proof for one request. */
  readonly proof: (method: string, url: string, now: number, changes?: ProofChanges) => Promise<string>
}

/** Creates a new key. */
export const proofKey = async (): Promise<ProofKey> => {
  const pair = await generateKeyPair("ES256", { extractable: true })
  const [publicKey, privateKey] = [await exportJWK(pair.publicKey), await exportJWK(pair.privateKey)]
  return {
    jkt: await calculateJwkThumbprint(publicKey),
    publicKey,
    privateKey,
    proof: (...request) => signed(pair.privateKey, publicKey, ...request),
  }
}

const signed = async (
  key: CryptoKey,
  jwk: JWK,
  method: string,
  url: string,
  now: number,
  { header = {}, claims = {}, whole = (proof) => proof }: ProofChanges = {},
): Promise<string> => {
  const htu = url.split(/[?#]/)[0]
  const proof = await new SignJWT({ jti: randomUUID(), htm: method, htu, iat: now, ...claims })
    .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk, ...header })
    .sign(key)
  return whole(proof)
}

/** The hash of an access token, for proofs that accompany it (RFC 9449 §4.2). */
export const ath = (accessToken: string): string => createHash("sha256").update(accessToken).digest("base64url")

/** Sends a request with a proof, and repeats it with a nonce if the provider demands one (RFC 9449 §8, §9). */
export const proved = async (
  send: (proof: string) => Promise<Received>,
  prove: (claims: Readonly<Record<string, unknown>>) => Promise<string>,
): Promise<Received> => {
  const first = await send(await prove({}))
  const nonce = first.headers.get("dpop-nonce")
  const isAsked = json(first)?.["error"] === "use_dpop_nonce" || (first.headers.get("www-authenticate") ?? "").includes("use_dpop_nonce")
  return isAsked && nonce !== null ? send(await prove({ nonce })) : first
}
