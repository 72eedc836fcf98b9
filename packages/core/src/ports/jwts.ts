import type { EncryptionChoice, JsonObject, JwkSet, Secret } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** The result of verifying another party's JWT. Its claims are theirs: expiry and audience are judged by rules. */
export type JwtVerdict =
  | {
      /** The signature is good. */
      readonly _tag: "Verified"
      /** Its header. */
      readonly header: JsonObject
      /** Its claims, unjudged. */
      readonly claims: JsonObject
    }
  /** No key of the set is the one it names: a fresh copy of the set may hold it. */
  | { /** No key fits. */ readonly _tag: "NoKey"; /** The reason, for the operator. */ readonly reason: string }
  | { /** The signature is bad, or it is no JWT. */ readonly _tag: "Invalid"; /** The reason, for the operator. */ readonly reason: string }

/** JWTs under keys that are not the provider's: of clients, of other issuers. */
export interface JwtsPort {
  /** Verifies a signature by a key of the set, by one of these algorithms; a key of another kind or use never fits. */
  readonly verify: (jwt: string, keys: JwkSet, algorithms: ReadonlyArray<string>) => Awaitable<JwtVerdict>
  /** Verifies a signature by a shared secret, which must be at least as long as the algorithm's digest (RFC 7518 §3.2). */
  readonly verifySecret: (jwt: string, secret: Secret, algorithms: ReadonlyArray<string>) => Awaitable<JwtVerdict>
  /** Encrypts a text with a fitting key of the set; undefined when there is none. `contentType` is the `cty` header. */
  readonly encrypt: (text: string, contentType: string, choice: EncryptionChoice, keys: JwkSet) => Awaitable<string | undefined>
}
