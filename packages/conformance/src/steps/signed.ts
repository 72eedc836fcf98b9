import { jwtPart } from "../exchange/jwtPart.ts"
import { type JWK, SignJWT, importJWK } from "jose"
import { textOf } from "../exchange/exchange.ts"
import type { RoleClient } from "../target/roles.ts"

type Members = Readonly<Record<string, unknown>>

/** Signs a JWT with the client's key. */
export const signedBy = async ({ key = {} }: RoleClient, claims: Members, header: Members = {}): Promise<string> => {
  const alg = textOf(key["alg"]) || "ES256"
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid: textOf(key["kid"]), ...header }).sign(await importJWK(key as JWK, alg))
}

/** An unsigned JWT (RFC 7519 §6). */
export const unsigned = (claims: object, header: object = { alg: "none" }): string => `${jwtPart(header)}.${jwtPart(claims)}.`

/** Breaks the signature of a JWT. */
export const withBrokenSignature = (jwt: string): string => withAnother(jwt, jwt.lastIndexOf(".") + 1)

/** Replaces one character of a text. */
export const withAnother = (text: string, at: number): string => `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`
