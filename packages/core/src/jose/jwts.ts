import { CompactEncrypt, type JWK, importJWK } from "jose"
import { fitsAlgorithm } from "../model/index.ts"
import type { JwtsPort } from "../ports/index.ts"
import { verify, verifySecret } from "./verification.ts"

/** Encrypts a text with a suitable key of a set. */
const encrypt: JwtsPort["encrypt"] = async (text, contentType, choice, { keys }) => {
  for (const jwk of keys.filter((each) => fitsAlgorithm(each, choice.alg))) {
    try {
      // Operations were checked above. If they were imported too, a key that may only wrap or agree (RFC 7517 §4.3) would not encrypt.
      const { key_ops: _judged, ...members } = jwk
      const key = await importJWK(members as JWK, choice.alg)
      const kid = typeof jwk["kid"] === "string" ? { kid: jwk["kid"] } : {}
      return await new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ ...choice, ...kid, cty: contentType })
        .encrypt(key)
    } catch {
      // An unusable key is skipped; another key of the set may be suitable.
    }
  }
  return undefined
}

/** Verifies and encrypts JWTs with keys of other parties, with jose. */
export const joseJwts: JwtsPort = { verify, verifySecret, encrypt }
