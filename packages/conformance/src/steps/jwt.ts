import { type JWK, compactVerify, importJWK } from "jose"
import { createHash } from "node:crypto"
import { json, objectOf, textOf } from "../exchange/exchange.ts"
import { Inconclusive } from "../target/target.ts"
import type { Steps } from "./steps.ts"

type Members = Readonly<Record<string, unknown>>

/** A parsed JWT, and the result of its verification with the published keys. */
export interface Jwt {
  readonly header: Members
  readonly claims: Members
  /** The issuer's keys that the header may refer to. */
  readonly candidates: ReadonlyArray<Members>
  readonly isVerified: boolean
}

const part = (text: string | undefined): Members => objectOf(Buffer.from(text ?? "", "base64url").toString()) ?? {}

/** Parses a JWT and verifies it with the published keys. Rejects with `Inconclusive` if it is not a JWT. */
export const jwtOf = async (t: Steps, token: unknown): Promise<Jwt> => {
  const parts = textOf(token).split(".")
  if (parts.length !== 3) throw new Inconclusive("a token that should be a JWT is none")
  const [header, claims] = [part(parts[0]), part(parts[1])]
  const keys = json(await t.get(t.endpoint("jwks_uri")))?.["keys"]
  const all: ReadonlyArray<Members> = Array.isArray(keys) ? keys : []
  const candidates = all.filter(
    (key) =>
      (header["kid"] === undefined || key["kid"] === header["kid"]) &&
      (key["alg"] ?? header["alg"]) === header["alg"] &&
      key["use"] !== "enc",
  )
  const verified = await Promise.all(candidates.map((key) => isVerifiedBy(textOf(token), key, textOf(header["alg"]))))
  return { header, claims, candidates, isVerified: verified.includes(true) }
}

const isVerifiedBy = async (token: string, key: Members, alg: string): Promise<boolean> => {
  try {
    await compactVerify(token, await importJWK(key as JWK, alg))
    return true
  } catch {
    return false
  }
}

/** The left half of a value's hash, for `at_hash`, `c_hash` and `s_hash` (OpenID Connect Core §3.1.3.6). */
export const halfHash = (value: unknown, alg: unknown): string => {
  const bits = /(?:256|384|512)$/.exec(textOf(alg))?.[0] ?? "512"
  const digest = createHash(`sha${bits}`).update(textOf(value)).digest()
  return digest.subarray(0, digest.length / 2).toString("base64url")
}
