import { X509Certificate, generateKeyPairSync, sign } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { secretOf } from "../load/conversation.ts"
import { selfSigned } from "./tls.ts"

/** A client that a server is started with besides those of `postern.json`, as metadata (RFC 7591 §2) that both providers take. */
export type DeclaredClient = Readonly<Record<string, unknown>> & { readonly client_id: string }

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })

const machine = { grant_types: ["client_credentials"], response_types: [], scope: "api.read", access_token_signed_response_alg: "ES256" }

/** The client that authenticates by a JWT it signs with ES256 (RFC 7523 §2.2). */
export const asserting: DeclaredClient = {
  ...machine,
  client_id: "asserting",
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_signing_alg: "ES256",
  jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid: "asserting" }] },
}

/** The client that authenticates by a certificate of its own, and the certificate in DER. */
export interface Certified {
  readonly der: Buffer
  readonly client: DeclaredClient
}

let made: Certified | undefined

/** Makes the client of certificates, once. */
export const certified = (): Certified => {
  if (made !== undefined) return made
  const folder = mkdtempSync(join(tmpdir(), "postern-bench-"))
  const { raw: der, publicKey: key } = new X509Certificate(selfSigned(folder).certificate)
  rmSync(folder, { recursive: true })
  const client = {
    ...machine,
    client_id: "certified",
    token_endpoint_auth_method: "self_signed_tls_client_auth",
    tls_client_certificate_bound_access_tokens: true,
    jwks: { keys: [{ ...key.export({ format: "jwk" }), x5c: [der.toString("base64")] }] },
  }
  made = { der, client }
  return made
}

/** The client of that number among many. */
export const manyAt = (at: number): string => `many-${at}`

/** So many clients of ES256 tokens. */
export const many = (count: number): ReadonlyArray<DeclaredClient> =>
  Array.from({ length: count }, (_, at) => ({ ...machine, client_id: manyAt(at), client_secret: secretOf(manyAt(at)) }))

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const head = encoded({ alg: "ES256", kid: "asserting", typ: "JWT" })
let counted = 0

/** An assertion for a provider that was never sent before (RFC 7523 §3). */
export const assertion = (issuer: string): string => {
  const now = Math.floor(Date.now() / 1000)
  const content = `${head}.${encoded({ iss: "asserting", sub: "asserting", aud: issuer, jti: `${now}-${counted++}`, iat: now, exp: now + 60 })}`
  return `${content}.${sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
}

const proofHead = encoded({ alg: "ES256", typ: "dpop+jwt", jwk: publicKey.export({ format: "jwk" }) })

/** A proof that a key is had, of a request for a token, that was never sent before (RFC 9449 §4.2). */
export const tokenProof = (htu: string): string => {
  const iat = Math.floor(Date.now() / 1000)
  const content = `${proofHead}.${encoded({ jti: `${iat}-${counted++}`, htm: "POST", htu, iat })}`
  return `${content}.${sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
}
