import type { EncryptionChoice, JsonObject, JwkSet, Secret } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** The result of verifying another party's JWT. Its claims are not validated here: rules check the expiry and audience. */
export type JwtVerdict =
  | {
      /** The signature is good. */
      readonly _tag: "Verified"
      /** Its header. */
      readonly header: JsonObject
      /** Its claims, not yet validated. */
      readonly claims: JsonObject
    }
  /** No key of the set matches the one that the JWT names; a fresh copy of the set may hold it. */
  | { /** No key fits. */ readonly _tag: "NoKey"; /** The reason, for the operator. */ readonly reason: string }
  | {
      /** The signature is invalid, or the text is no JWT. */
      readonly _tag: "Invalid"
      /** The reason, for the operator. */
      readonly reason: string
    }

/** Verifies and encrypts JWTs with keys of other parties: of clients and of other issuers. */
export interface JwtsPort {
  /** Verifies a signature with a key of the set and one of these algorithms. A key of another type or use never matches. */
  readonly verify: (jwt: string, keys: JwkSet, algorithms: ReadonlyArray<string>) => Awaitable<JwtVerdict>
  /** Verifies a signature with a shared secret, which must be at least as long as the digest of the algorithm (RFC 7518 §3.2). */
  readonly verifySecret: (jwt: string, secret: Secret, algorithms: ReadonlyArray<string>) => Awaitable<JwtVerdict>
  /** Encrypts a text with a suitable key of the set; undefined if there is none. `contentType` is the `cty` header. */
  readonly encrypt: (text: string, contentType: string, choice: EncryptionChoice, keys: JwkSet) => Awaitable<string | undefined>
}
