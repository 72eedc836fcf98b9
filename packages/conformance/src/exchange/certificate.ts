import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import type { JWK } from "jose"

/** A client's self-signed certificate with its key. JSON omits both, so that no report contains a key. */
export class Certificate {
  /** The certificate (ITU-T X.690 DER). */
  readonly der: Uint8Array
  /** The public key as a JWK that contains the certificate, as the client registers it (RFC 8705 §2.2.2). */
  readonly jwk: JWK
  readonly #key: string

  constructor(der: Uint8Array, jwk: JWK, key: string) {
    this.der = der
    this.jwk = jwk
    this.#key = key
  }

  /** The certificate and its key in PEM, for a TLS connection. */
  pem(): { readonly cert: string; readonly key: string } {
    const lines = Buffer.from(this.der).toString("base64").replace(/.{64}/g, "$&\n")
    return { cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, key: this.#key }
  }

  /** The thumbprint that tokens are bound to (RFC 8705 §3.1). */
  thumbprint(): string {
    return createHash("sha256").update(this.der).digest("base64url")
  }

  toJSON(): string {
    return "a client certificate"
  }
}

const element = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...long]), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => element(0x30, ...parts)

/** The object identifiers of ecdsa-with-SHA256 (RFC 5758 §3.2) and of a common name (RFC 5280 appendix A.1). */
const [ecdsa, commonName] = [sequence(Buffer.from("06082a8648ce3d040302", "hex")), Buffer.from("0603550403", "hex")]

const moment = (millis: number): Buffer => element(0x17, Buffer.from(`${new Date(millis).toISOString().replace(/\D/g, "").slice(2, 14)}Z`))

/** Makes a self-signed certificate (RFC 5280 §4.1) with a new P-256 key. It is valid from yesterday for a month. */
export const certificate = (): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from("conformance")))))
  const day = 86_400_000
  const content = sequence(
    element(0xa0, element(2, Buffer.from([2]))),
    element(2, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsa,
    name,
    sequence(moment(Date.now() - day), moment(Date.now() + 30 * day)),
    name,
    publicKey.export({ format: "der", type: "spki" }),
  )
  const der = sequence(content, ecdsa, element(3, Buffer.from([0]), sign("sha256", content, privateKey)))
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "certificate", x5c: [der.toString("base64")] } as JWK
  return new Certificate(new Uint8Array(der), jwk, privateKey.export({ format: "pem", type: "pkcs8" }).toString())
}
