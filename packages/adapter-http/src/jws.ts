import { constants, createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { availableParallelism } from "node:os"
import type { JwsPrimitives, KeyAlgorithm } from "@postern/core/jose"

/** Parameters of node:crypto for an algorithm (RFC 7518 §3.1, RFC 8037 §3.1). */
interface Scheme {
  readonly digest: "sha256" | null
  readonly options: { readonly dsaEncoding?: "ieee-p1363"; readonly padding?: number; readonly saltLength?: number }
  /** True if signing is slow enough, at a quarter of a millisecond, to move to the thread pool. */
  readonly slow: boolean
}

/** On a single core, a pool thread would compete with the event loop, and switching to it costs a tenth of the signature. */
const cores = availableParallelism()

const schemes: Readonly<Partial<Record<KeyAlgorithm, Scheme>>> = {
  RS256: { digest: "sha256", options: { padding: constants.RSA_PKCS1_PADDING }, slow: true },
  PS256: { digest: "sha256", options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, slow: true },
  ES256: { digest: "sha256", options: { dsaEncoding: "ieee-p1363" }, slow: false },
  EdDSA: { digest: null, options: {}, slow: false },
}

const schemeOf = (alg: KeyAlgorithm): Scheme => {
  const scheme = schemes[alg]
  if (scheme === undefined) throw new TypeError(`${alg} signs nothing`)
  return scheme
}

const base64url = (text: string): string => Buffer.from(text).toString("base64url")

const form = /^([A-Za-z0-9_-]+\.([A-Za-z0-9_-]+))\.([A-Za-z0-9_-]+)$/

/**
 * JWS primitives over node:crypto, for `joseSigner`. The header is encoded once, and a signature costs half as much as with WebCrypto. RSA
 * signs on the thread pool if the machine has more than one core.
 */
export const nodeJws: JwsPrimitives = {
  signing: ({ jwk }, header) => {
    const { digest, options, slow } = schemeOf(header.alg)
    const signingKey = { key: createPrivateKey({ key: jwk, format: "jwk" }), ...options }
    const begun = `${base64url(JSON.stringify(header))}.`
    return (payload) => {
      const input = begun + base64url(payload)
      const bytes = Buffer.from(input, "latin1")
      if (!slow || cores === 1) return `${input}.${sign(digest, bytes, signingKey).toString("base64url")}`
      return new Promise((signed, failed) =>
        sign(digest, bytes, signingKey, (error, signature) =>
          error === null ? signed(`${input}.${signature.toString("base64url")}`) : failed(error),
        ),
      )
    }
  },
  verifying: ({ jwk }, alg) => {
    const { digest, options } = schemeOf(alg)
    const verifyingKey = { key: createPublicKey({ key: jwk, format: "jwk" }), ...options }
    return (jws) => {
      const [, input = "", payload = "", signature = ""] = form.exec(jws) ?? []
      const right = input !== "" && verify(digest, Buffer.from(input, "latin1"), verifyingKey, Buffer.from(signature, "base64url"))
      return right ? Buffer.from(payload, "base64url") : undefined
    }
  },
}
