import type { AccessTokenTyp } from "./client.ts"
import type { TokenType } from "./confirmation.ts"
import type { JsonObject } from "./json.ts"
import type { EncryptionPlan, SigningAlgorithm } from "./jwk.ts"
import type { Seconds } from "./time.ts"

/** An access token to be issued: an opaque string, or claims to be signed. */
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
      /** A JWT authorization grant for another authorization server, returned instead of an access token (RFC 8693 §2.2.1). */
      readonly _tag: "Grant"
      /** The issuer identifier of the server that may accept it. */
      readonly audience: string
      /** The algorithm it is signed with. */
      readonly alg: SigningAlgorithm
      /** Its `typ` header. */
      readonly typ: string
      /** Its claims. */
      readonly claims: JsonObject
    }

/** An ID token to be signed once the tokens it is bound to are known (OpenID Connect Core §3.1.3.6). */
export interface IdTokenPlan {
  /** The algorithm it is signed with. */
  readonly alg: SigningAlgorithm
  /** Its claims. */
  readonly claims: JsonObject
  /** The encryption after signing (OpenID Connect Core §10.2). */
  readonly encryption: EncryptionPlan | undefined
}

/** A JWT that is the whole response body: userinfo, or an introspection. */
export interface JwtPlan {
  /** The signing algorithm; undefined for claims that are only encrypted. */
  readonly alg: SigningAlgorithm | undefined
  /** Its `typ` header. */
  readonly typ: string
  /** Its claims. */
  readonly claims: JsonObject
  /** The encryption; none if undefined. */
  readonly encryption: EncryptionPlan | undefined
  /** The `Content-Type` of the answer. */
  readonly contentType: string
}

/** Metadata to sign (RFC 9728 §2.2). */
export type MetadataPlan = Omit<JwtPlan, "contentType">

/**
 * Tokens to be signed together. The access token comes first because the ID token contains its hash, like that of the code if one is sent
 * too.
 */
export interface TokenPlan {
  /** The access token; none when undefined. */
  readonly accessToken: AccessTokenPlan | undefined
  /** The lifetime of the access token. */
  readonly expiresIn: Seconds
  /** The type of the access token (RFC 6749 §7.1); `N_A` for another kind of token (RFC 8693 §2.2.1). */
  readonly tokenType: TokenType | "N_A"
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** The authorization details of the access token; undefined if none were requested (RFC 9396 §7). */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The ID token; none when undefined. */
  readonly idToken: IdTokenPlan | undefined
  /** A code sent with the ID token, which its `c_hash` binds (OpenID Connect Core §3.3.2.11). */
  readonly code: string | undefined
  /** The `state` of the request, if the ID token must have an `s_hash` of it (FAPI 1.0 Part 2 §5.2.2.1). */
  readonly state?: string | undefined
}
