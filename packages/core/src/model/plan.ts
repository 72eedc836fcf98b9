import type { AccessTokenTyp } from "./client.ts"
import type { TokenType } from "./confirmation.ts"
import type { JsonObject } from "./json.ts"
import type { EncryptionPlan, SigningAlgorithm } from "./jwk.ts"
import type { Seconds } from "./time.ts"

/** An access token to be issued: an opaque value, or claims to be signed. */
export type AccessTokenPlan =
  | { /** An opaque token. */ readonly _tag: "Reference"; /** The token itself. */ readonly value: string }
  | {
      /** A JWT to be signed (RFC 9068). */
      readonly _tag: "Jwt"
      /** The algorithm it is signed with. */
      readonly alg: SigningAlgorithm
      /** Its `typ` header. */
      readonly typ: AccessTokenTyp
      /** Its claims. */
      readonly claims: JsonObject
    }
  | {
      /** A JWT authorization grant for another authorization server, given in the place of an access token (RFC 8693 §2.2.1). */
      readonly _tag: "Grant"
      /** The issuer identifier of the server that may take it. */
      readonly audience: string
      /** The algorithm it is signed with. */
      readonly alg: SigningAlgorithm
      /** Its `typ` header. */
      readonly typ: string
      /** Its claims. */
      readonly claims: JsonObject
    }

/** An ID token to be signed once what it binds is known (OpenID Connect Core §3.1.3.6). */
export interface IdTokenPlan {
  /** The algorithm it is signed with. */
  readonly alg: SigningAlgorithm
  /** Its claims. */
  readonly claims: JsonObject
  /** Encrypts it once signed (OpenID Connect Core §10.2). */
  readonly encryption: EncryptionPlan | undefined
}

/** A JWT that is the whole answer: userinfo, an introspection. */
export interface JwtPlan {
  /** Undefined for claims that are encrypted only. */
  readonly alg: SigningAlgorithm | undefined
  /** Its `typ` header. */
  readonly typ: string
  /** Its claims. */
  readonly claims: JsonObject
  /** The encryption around it; none when undefined. */
  readonly encryption: EncryptionPlan | undefined
  /** The `Content-Type` of the answer. */
  readonly contentType: string
}

/** Metadata to sign (RFC 9728 §2.2). */
export type MetadataPlan = Omit<JwtPlan, "contentType">

/** Tokens to be signed together: the access token first, since the ID token binds it, and the code where one goes with them. */
export interface TokenPlan {
  /** The access token; none when undefined. */
  readonly accessToken: AccessTokenPlan | undefined
  /** The life of the access token. */
  readonly expiresIn: Seconds
  /** The type of the access token (RFC 6749 §7.1); `N_A` for what is none (RFC 8693 §2.2.1). */
  readonly tokenType: TokenType | "N_A"
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** The authorization details that the access token has; undefined where none were asked for (RFC 9396 §7). */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The ID token; none when undefined. */
  readonly idToken: IdTokenPlan | undefined
  /** A code sent with the ID token, which its `c_hash` binds (OpenID Connect Core §3.3.2.11). */
  readonly code: string | undefined
  /** The state of the request, where the ID token's `s_hash` is to bind it (FAPI 1.0 Part 2 §5.2.2.1). */
  readonly state?: string | undefined
}
