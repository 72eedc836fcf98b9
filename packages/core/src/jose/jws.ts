import { CompactSign, compactVerify } from "jose"
import type { Awaitable } from "../ports/index.ts"
import type { OpenKey } from "./generate.ts"
import type { KeyAlgorithm } from "./signingKey.ts"

/** The protected header of what a signer signs. */
export interface JwsHeader {
  /** The algorithm. */
  readonly alg: KeyAlgorithm
  /** The id of the key. */
  readonly kid: string
  /** The type of the JWT. */
  readonly typ: string
}

/** The primitives a signer signs and verifies with: jose anywhere, or a platform's own where they are faster. */
export interface JwsPrimitives {
  /** Makes ready what signs payloads under one header: compact JWS (RFC 7515 §7.1). */
  readonly signing: (half: OpenKey, header: JwsHeader) => (payload: string) => Awaitable<string>
  /** Makes ready what verifies with one key and algorithm: the payload of a compact JWS, undefined for one that does not verify. */
  readonly verifying: (half: OpenKey, alg: KeyAlgorithm) => (jws: string) => Awaitable<Uint8Array | undefined>
}

/** jose over WebCrypto. */
export const joseJws: JwsPrimitives = {
  signing:
    ({ key }, header) =>
    (payload) =>
      new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ ...header }).sign(key),
  verifying:
    ({ key }, alg) =>
    (jws) =>
      compactVerify(jws, key, { algorithms: [alg] }).then(
        ({ payload }) => payload,
        () => undefined,
      ),
}
