import { type JWK, SignJWT, importJWK } from "jose"
import { randomUUID } from "node:crypto"
import { type Changes, textOf } from "../exchange/exchange.ts"
import type { RoleClient } from "../target/roles.ts"

/** The headers and form fields that authenticate a client. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Changes
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/** Encodes text for the user name or password of HTTP Basic (RFC 6749 §2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/** A client's Authorization header (RFC 6749 §2.3.1). */
export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64")}`

/** Creates a signed client assertion (RFC 7523 §3) with changed claims. */
export const assertion = async (
  client: RoleClient,
  issuer: string,
  now: number,
  changes: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const { client_id, client_secret = "", key } = client
  const symmetric = key === undefined
  const alg = symmetric ? "HS256" : textOf(key["alg"]) || "ES256"
  const claims = { iss: client_id, sub: client_id, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60, ...changes }
  const signing = symmetric ? new TextEncoder().encode(client_secret) : await importJWK(key as JWK, alg)
  return new SignJWT(claims).setProtectedHeader({ alg, ...(symmetric ? {} : { kid: textOf(key["kid"]) }), ...header }).sign(signing)
}

/** Authenticates a client by its registered method. */
export const clientProof = async (client: RoleClient, issuer: string, now: number): Promise<Proof> => {
  const { client_id, client_secret = "", token_endpoint_auth_method: method } = client
  switch (method) {
    case "none":
      return { headers: {}, fields: { client_id } }
    case "client_secret_post":
      return { headers: {}, fields: { client_id, client_secret } }
    case "private_key_jwt":
    case "client_secret_jwt":
      // The client_id is optional (RFC 7521 §4.2), but clients send it, and some providers look for it.
      return {
        headers: {},
        fields: { client_id, client_assertion_type: assertionType, client_assertion: await assertion(client, issuer, now) },
      }
    default:
      return { headers: { authorization: basic(client_id, client_secret) }, fields: {} }
  }
}
