import { CompactSign, compactVerify } from "jose"
import type { Awaitable } from "../ports/index.ts"
import { compact } from "./compact.ts"
import type { OpenKey } from "./generate.ts"
import type { KeyAlgorithm } from "./signingKey.ts"

/** The protected header of a signer's JWS. */
export interface JwsHeader {
  /** The algorithm. */
  readonly alg: KeyAlgorithm
  /** The id of the key. */
  readonly kid: string
  /** The type of the JWT. */
  readonly typ: string
}

/** The primitives for signing and verification: jose anywhere, or a platform's own if they are faster. */
export interface JwsPrimitives {
  /** Prepares a function that signs payloads with one header as compact JWS (RFC 7515 §7.1). */
  readonly signing: (half: OpenKey, header: JwsHeader) => (payload: string) => Awaitable<string>
  /**
   * Prepares a function that verifies with one key and algorithm. It returns the payload of a compact JWS, or undefined if verification
   * fails.
   */
  readonly verifying: (half: OpenKey, alg: KeyAlgorithm) => (jws: string) => Awaitable<Uint8Array | undefined>
}

/** The primitives of jose, based on WebCrypto. */
export const joseJws: JwsPrimitives = {
  signing:
    ({ key }, header) =>
    (payload) =>
      new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ ...header }).sign(key),
  verifying:
    ({ key }, alg) =>
    async (jws) => {
      try {
        return (await compactVerify(compact(jws), key, { algorithms: [alg] })).payload
      } catch {
        // The reason does not matter to its caller.
        return undefined
      }
    },
}
