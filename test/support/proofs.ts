import { type KeyObject, createHash, generateKeyPairSync, sign } from "node:crypto"
import { type Said, said } from "./visitor.ts"
import { post } from "./flows.ts"
import type { TokenStorePort } from "@postern/core/ports"
import { type World, issuer, world } from "./world.ts"

/** A key whose possession is proved (RFC 9449). */
export interface ProofKey {
  readonly alg: string
  readonly privateKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
  readonly jkt: string
}

/** SHA-256, base64url. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("base64url")

const required: Readonly<Record<string, ReadonlyArray<string>>> = {
  EC: ["crv", "kty", "x", "y"],
  OKP: ["crv", "kty", "x"],
  RSA: ["e", "kty", "n"],
}

/** The thumbprint of a key (RFC 7638 §3). */
export const thumbprint = (jwk: Readonly<Record<string, unknown>>): string =>
  digest(JSON.stringify(Object.fromEntries((required[String(jwk["kty"])] ?? []).map((name) => [name, jwk[name]]))))

const made = (alg: string, { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }): ProofKey => {
  const jwk = publicKey.export({ format: "jwk" }) as Readonly<Record<string, unknown>>
  return { alg, privateKey, jwk, jkt: thumbprint(jwk) }
}

/** Makes a key that was never used. */
export const proofKey = (alg = "ES256"): ProofKey => {
  if (alg.startsWith("Ed")) return made(alg, generateKeyPairSync("ed25519"))
  if (!alg.startsWith("ES")) return made(alg, generateKeyPairSync("rsa", { modulusLength: 2048 }))
  const namedCurve = { ES384: "P-384", ES512: "P-521" }[alg] ?? "P-256"
  return made(alg, generateKeyPairSync("ec", { namedCurve }))
}

/** The keys of clients in cases. */
export const [ownKey, otherKey] = [proofKey(), proofKey()]

/** A part of a JWT. */
export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The signature of a text by a key, base64url. */
export const signedText = (text: string, { alg, privateKey }: Pick<ProofKey, "alg" | "privateKey">): string => {
  const hash = alg.startsWith("Ed") ? null : `sha${alg.slice(2)}`
  const padding = alg.startsWith("PS") ? { padding: 6, saltLength: Number(alg.slice(2)) / 8 } : {}
  return sign(hash, Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363", ...padding }).toString("base64url")
}

/** A proof, with changes of its header and its claims: one that is undefined is left out. */
export interface ProofParts {
  readonly key?: ProofKey
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
}

let drawn = 0

/** A proof for a request at a moment. */
export const proof = (now: number, method: string, path: string, { key = ownKey, header, claims }: ProofParts = {}): string => {
  const head = part({ typ: "dpop+jwt", alg: key.alg, jwk: key.jwk, ...header })
  const body = part({ jti: `jti ${++drawn}`, htm: method, htu: issuer + path, iat: now, ...claims })
  return `${head}.${body}.${signedText(`${head}.${body}`, key)}`
}

/** Posts a form with a proof. */
export const prove = (
  w: World,
  path: string,
  clientId: string | undefined,
  fields: Readonly<Record<string, string>>,
  parts: ProofParts = {},
): Promise<Said> => post(w, path, clientId, fields, { dpop: proof(w.now(), "POST", path, parts) })

/** Presents an access token with a proof. */
export const present = async (w: World, token: unknown, parts: ProofParts = {}, scheme = "DPoP"): Promise<Said> => {
  const value = String(token)
  const path = "/connect/userinfo"
  const dpop = proof(w.now(), "GET", path, { ...parts, claims: { ath: digest(value), ...parts.claims } })
  return said(await w.send({ method: "GET", path, headers: { authorization: `${scheme} ${value}`, dpop } }))
}

/** Sends one proof 16 times at once to a provider on a store; tells the status of each that succeeds and the rule that refused each other, in order. */
export const atOnceWith = async (tokens: TokenStorePort): Promise<ReadonlyArray<string>> => {
  const w = await world({ tokens })
  const dpop = proof(w.now(), "POST", "/connect/token")
  const fields = { grant_type: "client_credentials", scope: "api.read" }
  const answers = await Promise.all(Array.from({ length: 16 }, () => post(w, "/connect/token", "web", fields, { dpop })))
  const refused = w.trails.flatMap(({ steps }) => steps.flatMap((step) => step.refused?.rule ?? []))
  return [...answers.flatMap(({ status }) => (status === 200 ? ["200"] : [])), ...refused].toSorted()
}
