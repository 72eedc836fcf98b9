import type { Confirmation } from "./confirmation.ts"
import type { Locator } from "./handle.ts"
import type { JsonObject } from "./json.ts"
import type { Instant, Seconds } from "./time.ts"

/**
 * Rows of stores. Rows are plain JSON values: no classes, no secrets (only digests), times in whole seconds. `expiresAt` is when the
 * protocol stops accepting a row; `keepUntil` is when a sweep may delete it.
 */

/** Claims requested by name in an authorization request (OpenID Connect Core §5.5), as far as they were granted. */
export interface RequestedClaims {
  /** Claims requested from userinfo. */
  readonly userinfo: ReadonlyArray<string>
  /** Claims requested in the ID token. */
  readonly idToken: ReadonlyArray<string>
  /** Requested languages of claims, in order of preference (OpenID Connect Core §5.2). */
  readonly locales: ReadonlyArray<string>
}

/** The values that an extension grant added to a grant, which persist while its tokens are renewed. */
export interface GrantExtension {
  /** The grant type that created it. */
  readonly grantType: string
  /** Additional claims of its access tokens: `act`, and claims of the extension. */
  readonly claims: JsonObject
  /** The maximum lifetime of its access tokens, if the client's is not shorter. */
  readonly lifetime: Seconds
  /** The number of its ancestors: one more than its parent's, 0 if it has none. */
  readonly generation: number
  /** The absolute expiry of every refresh token family of this grant and its descendants; 0 means none. */
  readonly absoluteExpiresAt: Instant
  /**
   * True if the time of the sign-in is known. Otherwise the grant's `authTime` is its creation time, and no token states it. Grants of
   * versions that did not record this count as unknown.
   */
  readonly signInTold?: boolean | undefined
}

/** The permission that a person (or nobody) gave a client. All codes and tokens of one authorization belong to it. */
export interface Grant {
  /** The ordered id, which also identifies the grant in JWT access tokens. */
  readonly id: Locator
  /** The client it was made for. */
  readonly clientId: string
  /** The person's subject at the provider. */
  readonly subject: string
  /** The person's subject at the client: the `sub` of its tokens (OpenID Connect Core §8). */
  readonly sub: string
  /** The browser session; undefined if there was none. */
  readonly sessionId?: Locator | undefined
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** Resource indicators of the authorization request (RFC 8707); empty if there were none. */
  readonly resources: ReadonlyArray<string>
  /** The time of the sign-in, unless its `extension` states that it is unknown. */
  readonly authTime: Instant
  /** The authentication methods of the sign-in (RFC 8176). */
  readonly amr: ReadonlyArray<string>
  /** The authentication context that was satisfied. */
  readonly acr?: string | undefined
  /** The `nonce` of the request. */
  readonly nonce?: string | undefined
  /** The claims that were requested by name and granted. */
  readonly claims?: RequestedClaims | undefined
  /** The granted authorization details (RFC 9396); undefined if none were requested. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** True if it ends when the person signs out of its session. */
  readonly endsWithSession: boolean
  /** The parent from which an extension grant derived it. Revoking the parent revokes it too. */
  readonly parentId?: Locator | undefined
  /** The values of the extension grant that created it, if one did. */
  readonly extension?: GrantExtension | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
  /** The time of revocation; undefined if it is not revoked. */
  readonly revokedAt?: Instant | undefined
}

/** A PKCE challenge, as sent (RFC 7636 §4.3). */
export interface Challenge {
  /** The transformation (RFC 7636 §4.2). */
  readonly method: "S256" | "plain"
  /** The challenge, as sent. */
  readonly value: string
}

/** An authorization code (RFC 6749 §4.1.2). */
export interface AuthorizationCode {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The grant it belongs to. */
  readonly grantId: Locator
  /** The client it was made for. */
  readonly clientId: string
  /** The `redirect_uri` of the request. */
  readonly redirectUri: string
  /** The PKCE challenge of the request. */
  readonly challenge?: Challenge | undefined
  /** The key or certificate that is required to redeem it; undefined if the request named none (RFC 9449 §10). */
  readonly confirmation?: Confirmation | undefined
  /** The version of the metadata of a client that publishes it itself; undefined for any other. */
  readonly clientVersion?: string | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time of redemption; undefined if it is not redeemed. */
  readonly consumedAt?: Instant | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A reference access token. One issued to a client for itself has neither grant nor subject. */
export interface AccessToken {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The grant it belongs to; undefined if there is none. */
  readonly grantId?: Locator | undefined
  /** The client it was made for. */
  readonly clientId: string
  /** The person whose access it represents; undefined for the client itself. */
  readonly subject?: string | undefined
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** The resources it is for. */
  readonly audience: ReadonlyArray<string>
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time of revocation; undefined if it is not revoked. */
  readonly revokedAt?: Instant | undefined
  /** Its confirmation; undefined for a bearer token. */
  readonly confirmation?: Confirmation | undefined
  /** Its authorization details (RFC 9396 §9); undefined if it has none. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** The successor of a rotated refresh token. */
export interface Successor {
  /** The key of its row. */
  readonly locator: Locator
  /** The successor's secret, encrypted with a pad from the rotated token's secret (43 characters of base64url). */
  readonly sealed: string
}

/** A refresh token: one link of its grant's chain. */
export interface RefreshToken {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The grant it belongs to. */
  readonly grantId: Locator
  /** The client it was made for. */
  readonly clientId: string
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** The time it was made. */
  readonly createdAt: Instant
  /** The earlier of the sliding and the absolute expiry. */
  readonly expiresAt: Instant
  /** The absolute expiry of the family; 0 means none. */
  readonly absoluteExpiresAt: Instant
  /** The time of rotation; undefined for the newest token. */
  readonly rotatedAt?: Instant | undefined
  /** The token that replaced it. */
  readonly successor?: Successor | undefined
  /** Its confirmation; undefined for a confidential client, which authenticates instead (RFC 9449 §5). */
  readonly confirmation?: Confirmation | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}
