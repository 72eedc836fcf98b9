import type { Locator } from "./handle.ts"
import type { JsonObject } from "./json.ts"
import type { Instant, Seconds } from "./time.ts"

/**
 * What stores keep. Rows are plain JSON values: no class, no secret (only digests), times in whole seconds.
 * `expiresAt` is when the protocol stops honouring a row; `keepUntil` is when a sweep may drop it.
 */

/** Claims asked for by name at authorize (OpenID Connect Core §5.5), as far as they were granted. */
export interface RequestedClaims {
  readonly userinfo: ReadonlyArray<string>
  readonly idToken: ReadonlyArray<string>
  /** Languages wanted for claims, best first (OpenID Connect Core §5.2). */
  readonly locales: ReadonlyArray<string>
}

/** What an extension grant made of a grant, for as long as its tokens are renewed. */
export interface GrantExtension {
  /** The grant_type it came by. */
  readonly grantType: string
  /** What its access tokens say beside the usual: `act`, and claims of the extension's own. */
  readonly claims: JsonObject
  /** The longest life of its access tokens, where the client's is not shorter. */
  readonly lifetime: Seconds
  /** How many grants stand above it: one more than above its parent, 0 where it has none. */
  readonly generation: number
  /** The end of every family of refresh tokens that begins with it, or with what is derived from it; 0 is none. */
  readonly absoluteExpiresAt: Instant
}

/** What a person (or nobody) let a client do: the family every code and token of one authorization belongs to. */
export interface Grant {
  /** Ordered id; names the grant inside JWT access tokens too. */
  readonly id: Locator
  readonly clientId: string
  /** The person as the provider knows them. */
  readonly subject: string
  /** The person as the client knows them: the `sub` of its tokens (OpenID Connect Core §8). */
  readonly sub: string
  /** Undefined where no browser session stood behind it. */
  readonly sessionId?: Locator | undefined
  readonly scope: ReadonlyArray<string>
  /** Resource indicators asked for at authorize (RFC 8707); empty when none were. */
  readonly resources: ReadonlyArray<string>
  readonly authTime: Instant
  readonly amr: ReadonlyArray<string>
  readonly acr?: string | undefined
  readonly nonce?: string | undefined
  readonly claims?: RequestedClaims | undefined
  /** Whether it ends when the person signs out of its session. */
  readonly endsWithSession: boolean
  /** The grant it was derived from by an extension grant, and with which it is revoked. */
  readonly parentId?: Locator | undefined
  /** Undefined unless an extension grant made it. */
  readonly extension?: GrantExtension | undefined
  readonly createdAt: Instant
  readonly keepUntil: Instant
  readonly revokedAt?: Instant | undefined
}

/** A PKCE challenge as it was sent (RFC 7636 §4.3). */
export interface Challenge {
  readonly method: "S256" | "plain"
  readonly value: string
}

/** An authorization code (RFC 6749 §4.1.2). */
export interface AuthorizationCode {
  readonly locator: Locator
  readonly digest: string
  readonly grantId: Locator
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge?: Challenge | undefined
  readonly createdAt: Instant
  readonly expiresAt: Instant
  readonly consumedAt?: Instant | undefined
  readonly keepUntil: Instant
}

/** A reference access token. One made for a client alone has neither grant nor subject. */
export interface AccessToken {
  readonly locator: Locator
  readonly digest: string
  readonly grantId?: Locator | undefined
  readonly clientId: string
  readonly subject?: string | undefined
  readonly scope: ReadonlyArray<string>
  readonly audience: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant
  readonly revokedAt?: Instant | undefined
  readonly keepUntil: Instant
}

/** What replaced a rotated refresh token. */
export interface Successor {
  readonly locator: Locator
  /** The successor's secret, under a pad derived from the rotated token's own secret (43 characters of base64url). */
  readonly sealed: string
}

/** A refresh token: one link of its grant's chain. */
export interface RefreshToken {
  readonly locator: Locator
  readonly digest: string
  readonly grantId: Locator
  readonly clientId: string
  readonly scope: ReadonlyArray<string>
  readonly createdAt: Instant
  /** The nearer of the sliding and the absolute end. */
  readonly expiresAt: Instant
  /** The family's end; 0 is none. */
  readonly absoluteExpiresAt: Instant
  readonly rotatedAt?: Instant | undefined
  readonly successor?: Successor | undefined
  readonly keepUntil: Instant
}

/** A person's sign-in in one browser. Clients with public subjects see its locator as the `sid` claim; others one of their sector's own. */
export interface Session {
  readonly locator: Locator
  readonly digest: string
  readonly subject: string
  readonly authTime: Instant
  readonly amr: ReadonlyArray<string>
  readonly acr?: string | undefined
  /** The identity provider they came from; undefined for a password of ours. */
  readonly idp?: string | undefined
  /** The tenant they signed in for; undefined where none was asked for. */
  readonly tenant?: string | undefined
  /** What the browser called itself (User-Agent, cut to 200 characters), for the person's own list of sessions. */
  readonly agent: string
  /** The network they signed in from (an IPv4 /24 or an IPv6 /48), for the same list; undefined where it is not known. */
  readonly address?: string | undefined
  readonly createdAt: Instant
  readonly seenAt: Instant
  readonly expiresAt: Instant
  readonly endedAt?: Instant | undefined
  readonly keepUntil: Instant
}

/** An authorization request that waits for a person, bound to the browser that began it. */
export interface Interaction {
  readonly locator: Locator
  readonly digest: string
  /** Digest of the browser cookie's secret. */
  readonly browser: string
  readonly clientId: string
  /** The request's parameters, in order, as they came. */
  readonly params: ReadonlyArray<readonly [string, string]>
  /** Whom its `id_token_hint` named. */
  readonly hint?: string | undefined
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** Set when the person signed in through this very interaction. */
  readonly signedInAt?: Instant | undefined
  /** Who signed in or answered the consent page; what they did counts for them alone. */
  readonly subject?: string | undefined
  /** The scopes allowed on this interaction's consent page. */
  readonly consented?: ReadonlyArray<string> | undefined
  readonly denied: boolean
  readonly finishedAt?: Instant | undefined
  /** Counts the changes; a replacement names the version it read. */
  readonly version: number
  readonly keepUntil: Instant
}

/** A device that waits for a person to approve it (RFC 8628 §3.2). */
export interface Device {
  readonly locator: Locator
  /** Digest of the device code's secret. */
  readonly digest: string
  /** Digest of the user code. No two rows have the same. */
  readonly userCode: string
  readonly clientId: string
  readonly scope: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** Seconds the device must wait between two polls; grows when it does not. */
  readonly interval: number
  readonly polledAt?: Instant | undefined
  readonly state: "pending" | "approved" | "denied" | "consumed"
  /** Set when it was approved. */
  readonly grantId?: Locator | undefined
  /** Counts the changes; a replacement names the version it read. */
  readonly version: number
  readonly keepUntil: Instant
}

/** How often something was tried under a key, until a moment after which it is counted anew. */
export interface Attempts {
  readonly key: string
  readonly count: number
  readonly resetAt: Instant
}

/** What a person has let a client have, remembered. One per subject and client. */
export interface Consent {
  readonly subject: string
  readonly clientId: string
  readonly scope: ReadonlyArray<string>
  readonly grantedAt: Instant
  /** 0 is without end. */
  readonly expiresAt: Instant
}
