import { createHash } from "node:crypto"
import { type JWK, compactVerify, importJWK } from "jose"
import { expect } from "vitest"
import { headerOf } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { standardClaimsHold } from "./standardClaims.ts"

/** Bits of Shannon entropy in a string, as the suite counts them. */
export const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const each of text) counts.set(each, (counts.get(each) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / text.length), 0)
}

/** A code or a token that cannot be guessed (RFC 6749 §10.10), of the characters of its appendix A. */
export const unguessable = (value: unknown): void => {
  expect(value).toMatch(/^[\x20-\x7e]{16,}$/)
  expect(entropy(String(value))).toBeGreaterThan(96)
}

/** `error`, `error_description` and `error_uri` hold only what RFC 6749 §4.1.2.1 and §5.2 allow. */
export const errorCharacters = (error: Readonly<Record<string, unknown>>): void => {
  expect(error["error"]).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(error["error_description"] ?? "").toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/)
  expect(error["error_uri"] ?? "").toMatch(/^[\x21\x23-\x5b\x5d-\x7e]*$/)
}

/** The left half of a hash, as at_hash and c_hash are made under RS256 (OpenID Connect Core §3.3.2.11). */
export const half = (value: string): string => createHash("sha256").update(value).digest().subarray(0, 16).toString("base64url")

/** The JWK set, after the checks that come before every module. */
export const keySet = async (w: World): Promise<ReadonlyArray<JWK & { readonly kid: string }>> => {
  const { status, json } = said(await w.send({ path: "/.well-known/openid-configuration/jwks" }))
  expect(status).toBe(200)
  const keys = json?.["keys"] as Array<JWK & { readonly kid: string }>
  const members: Readonly<Record<string, ReadonlyArray<keyof JWK>>> = { RSA: ["n", "e"], EC: ["crv", "x", "y"], OKP: ["crv", "x"] }
  for (const key of keys) {
    expect(key.kid).toMatch(/./)
    expect(Object.keys(members)).toContain(key.kty)
    for (const name of members[key.kty ?? ""] ?? []) expect(key[name]).toMatch(/^[\w-]+$/)
    for (const name of ["d", "p", "q", "dp", "dq", "qi", "k", "oth"]) expect(key).not.toHaveProperty(name)
  }
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
  return keys
}

/** Values that an ID token is checked against. */
export interface Expected {
  readonly clientId: string
  readonly nonce: string | undefined
  readonly code: string | undefined
  readonly accessToken: string | undefined
  /** True if it came from the authorization endpoint, where the hashes are not optional. */
  readonly frontChannel: boolean
  /** Names of the user claims that may and must be in it. */
  readonly userClaims: ReadonlyArray<string>
}

const protocolClaims = "iss sub aud exp iat auth_time nonce acr amr azp at_hash c_hash s_hash nbf jti sid txn".split(" ")

/** Checks an ID token as the suite does each time it sees one, and answers its claims. */
export const idTokenHolds = async (w: World, idToken: unknown, expected: Expected): Promise<Record<string, unknown>> => {
  const keys = await keySet(w)
  const header = headerOf(String(idToken))
  const key = keys.filter(({ kid }) => kid === header["kid"])
  expect(key).toHaveLength(1)
  expect(header["alg"]).toBe("RS256")
  expect(key[0]).toMatchObject({ kty: "RSA", alg: "RS256", use: "sig" })
  const { payload } = await compactVerify(String(idToken), await importJWK(key[0] ?? {}, "RS256"))
  const claims = JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>
  const { document } = await discovered(w)
  expect(claims["iss"]).toBe(document["issuer"])
  expect([claims["aud"]].flat()).toContain(expected.clientId)
  expect(claims["exp"]).toSatisfy((exp: number) => exp > w.now() && exp < w.now() + 50 * 365 * 86_400)
  expect(claims["iat"]).toSatisfy((iat: number) => Math.abs(iat - w.now()) <= 300)
  expect(claims["auth_time"]).toSatisfy((at: number) => at <= w.now() && at > w.now() - 86_400)
  expect(claims["nonce"]).toBe(expected.nonce)
  expect(claims["sub"]).toMatch(/^[\x20-\x7e]{1,255}$/)
  if ("acr" in claims) expect(claims["acr"]).toMatch(/./)
  hashHolds(claims["at_hash"], expected.accessToken, expected.frontChannel)
  hashHolds(claims["c_hash"], expected.code, expected.frontChannel)
  const userClaims = Object.keys(claims).filter((name) => !protocolClaims.includes(name))
  expect(userClaims.toSorted()).toEqual([...expected.userClaims].toSorted())
  standardClaimsHold(claims, w.now())
  return claims
}

const hashHolds = (hash: unknown, value: string | undefined, required: boolean): void => {
  if (value === undefined) expect(hash).toBe(undefined)
  else if (required || hash !== undefined) expect(hash).toBe(half(value))
}

/** The metadata, as every module reads it first. */
export const discovered = async (w: World): Promise<{ readonly document: Readonly<Record<string, unknown>>; readonly type: string }> => {
  const { status, json, header } = said(await w.send({ path: "/.well-known/openid-configuration" }))
  expect(status).toBe(200)
  for (const name of ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]) expect(json?.[name]).toMatch(/^https:/)
  return { document: json ?? {}, type: header("content-type") ?? "" }
}
