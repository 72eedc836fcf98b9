import type { ClientTerms } from "./client.ts"
import type { Confirmation } from "./confirmation.ts"
import type { Locator } from "./handle.ts"
import type { JsonObject } from "./json.ts"
import type { Instant, Seconds } from "./time.ts"

/**
 * The rows that stores keep. Rows are plain JSON values: no class, no secret (only digests), times in whole seconds.
 * `expiresAt` is when the protocol stops honoring a row; `keepUntil` is when a sweep may drop it.
 */

/** Claims asked for by name at authorize (OpenID Connect Core §5.5), as far as they were granted. */
export interface RequestedClaims {
  /** Claims asked for at userinfo. */
  readonly userinfo: ReadonlyArray<string>
  /** Claims asked for in the ID token. */
  readonly idToken: ReadonlyArray<string>
  /** Languages wanted for claims, best first (OpenID Connect Core §5.2). */
  readonly locales: ReadonlyArray<string>
}

/** The values that an extension grant added to a grant, for as long as its tokens are renewed. */
export interface GrantExtension {
  /** The grant_type it came by. */
  readonly grantType: string
  /** The claims its access tokens carry beside the usual: `act`, and claims of the extension's own. */
  readonly claims: JsonObject
  /** The longest life of its access tokens, where the client's is not shorter. */
  readonly lifetime: Seconds
  /** Number of grants above it: one more than above its parent, 0 where it has none. */
  readonly generation: number
  /** The end of every family of refresh tokens that begins with it, or with what is derived from it; 0 is none. */
  readonly absoluteExpiresAt: Instant
  /**
   * True if it is known when the person signed in. Otherwise the grant's `authTime` is the time it was made, and no token states it: grants of versions that did not
   * tell the two apart count as unknown too.
   */
  readonly signInTold?: boolean | undefined
}

/** The permission that a person (or nobody) gave a client: the family every code and token of one authorization belongs to. */
export interface Grant {
  /** Ordered id; names the grant inside JWT access tokens too. */
  readonly id: Locator
  /** The client it was made for. */
  readonly clientId: string
  /** The person as the provider knows them. */
  readonly subject: string
  /** The person as the client knows them: the `sub` of its tokens (OpenID Connect Core §8). */
  readonly sub: string
  /** Undefined where no browser session stood behind it. */
  readonly sessionId?: Locator | undefined
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** Resource indicators asked for at authorize (RFC 8707); empty when none were. */
  readonly resources: ReadonlyArray<string>
  /** The time the person signed in, unless its `extension` says that nobody told. */
  readonly authTime: Instant
  /** The methods the person signed in by (RFC 8176). */
  readonly amr: ReadonlyArray<string>
  /** The authentication context that was reached. */
  readonly acr?: string | undefined
  /** The `nonce` of the request. */
  readonly nonce?: string | undefined
  /** The claims that were asked for by name and granted. */
  readonly claims?: RequestedClaims | undefined
  /** The authorization details that were granted (RFC 9396); undefined where none were asked for. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** True if it ends when the person signs out of its session. */
  readonly endsWithSession: boolean
  /** The grant it was derived from by an extension grant, and with which it is revoked. */
  readonly parentId?: Locator | undefined
  /** Undefined unless an extension grant made it. */
  readonly extension?: GrantExtension | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
  /** The time it was revoked; undefined while it lives. */
  readonly revokedAt?: Instant | undefined
}

/** A PKCE challenge as it was sent (RFC 7636 §4.3). */
export interface Challenge {
  /** The transformation (RFC 7636 §4.2). */
  readonly method: "S256" | "plain"
  /** The challenge as it was sent. */
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
  /** The key or certificate that it is redeemed with alone; undefined where the request named none (RFC 9449 §10). */
  readonly confirmation?: Confirmation | undefined
  /** The version of a client that publishes its own metadata; undefined for any other. */
  readonly clientVersion?: string | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time it was redeemed; undefined before. */
  readonly consumedAt?: Instant | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A reference access token. One made for a client alone has neither grant nor subject. */
export interface AccessToken {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The grant it belongs to; undefined where there is none. */
  readonly grantId?: Locator | undefined
  /** The client it was made for. */
  readonly clientId: string
  /** The person it stands for; undefined for the client itself. */
  readonly subject?: string | undefined
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** The resources it is for. */
  readonly audience: ReadonlyArray<string>
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time it was revoked; undefined while it lives. */
  readonly revokedAt?: Instant | undefined
  /** Its confirmation; undefined for a bearer token. */
  readonly confirmation?: Confirmation | undefined
  /** Its authorization details (RFC 9396 §9); undefined where it has none. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** The successor of a rotated refresh token. */
export interface Successor {
  /** The key of its row. */
  readonly locator: Locator
  /** The successor's secret, under a pad derived from the rotated token's own secret (43 characters of base64url). */
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
  /** The nearer of the sliding and the absolute end. */
  readonly expiresAt: Instant
  /** The family's end; 0 is none. */
  readonly absoluteExpiresAt: Instant
  /** The time it was used; undefined while it is the newest. */
  readonly rotatedAt?: Instant | undefined
  /** The token that took its place. */
  readonly successor?: Successor | undefined
  /** Its confirmation; undefined for a confidential client's, which its authentication binds (RFC 9449 §5). */
  readonly confirmation?: Confirmation | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A person's sign-in in one browser. Clients with public subjects see its locator as the `sid` claim; others one of their sector's own. */
export interface Session {
  /** The row's key. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the handle, as base64url. */
  readonly digest: string
  /** The person who is signed in. */
  readonly subject: string
  /** The time the person signed in. */
  readonly authTime: Instant
  /** The methods the person signed in by (RFC 8176). */
  readonly amr: ReadonlyArray<string>
  /** The authentication context that was reached. */
  readonly acr?: string | undefined
  /** The identity provider they came from; undefined for a password of ours. */
  readonly idp?: string | undefined
  /** The tenant they signed in for; undefined where none was asked for. */
  readonly tenant?: string | undefined
  /** The browser's name for itself (User-Agent, cut to 200 characters), for the person's own list of sessions. */
  readonly agent: string
  /** The network they signed in from (an IPv4 /24 or an IPv6 /48), for the same list; undefined where it is not known. */
  readonly address?: string | undefined
  /** Earlier sessions of the same person in the same browser, the latest first, in whose place this one is: it ends for their clients too. Undefined where there is none. */
  readonly replaced?: ReadonlyArray<Locator> | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time of its last use. */
  readonly seenAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** The time it ended; undefined while it lasts. */
  readonly endedAt?: Instant | undefined
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A device that waits for a person to approve it (RFC 8628 §3.2). */
export interface Device {
  /** The row's key. */
  readonly locator: Locator
  /** Digest of the device code's secret. */
  readonly digest: string
  /** Digest of the user code. No two rows have the same. */
  readonly userCode: string
  /** The client it was made for. */
  readonly clientId: string
  /** The scopes it asks for. */
  readonly scope: ReadonlyArray<string>
  /** The authorization details it asks for (RFC 9396); undefined where it asks for none. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** Seconds the device must wait between two polls; grows when it does not. */
  readonly interval: number
  /** The time of the last poll. */
  readonly polledAt?: Instant | undefined
  /** Its state. */
  readonly state: "pending" | "approved" | "denied" | "consumed"
  /** Set when it was approved. */
  readonly grantId?: Locator | undefined
  /** Counts the changes; a replacement names the version it read. */
  readonly version: number
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** A remembered consent: the scopes, claims by name and authorization details a person has let a client have. One per subject and client. */
export interface Consent {
  /** The person who gave it. */
  readonly subject: string
  /** The client it was given to. */
  readonly clientId: string
  /** The scopes that were allowed, `claim NAME` for a claim, `detail {…}` for an authorization detail. */
  readonly scope: ReadonlyArray<string>
  /** The time it was given, or last widened. */
  readonly grantedAt: Instant
  /** 0 is without end. */
  readonly expiresAt: Instant
  /** The metadata it rests on, where the client publishes that itself; a change of it asks for a new consent. */
  readonly terms?: ClientTerms | undefined
}

/**
 * A message that something must be done about after the commit that wrote it: a logout token sent, a mail, a ping. It is delivered at least
 * once, by whichever process claims it.
 */
export interface OutboxMessage {
  /** The row's key, and the name by which a receiver may tell a repetition. */
  readonly locator: Locator
  /** The kind of message: it has one handler. */
  readonly kind: string
  /** Everything its handler needs. Holds no secret that the database would not hold. */
  readonly payload: JsonObject
  /** The time it was written. */
  readonly createdAt: Instant
  /** The time it may be claimed: a claim puts it off by as long as the claim holds. */
  readonly dueAt: Instant
  /** The claims so far. */
  readonly attempts: number
  /** The claim that holds until `dueAt`; undefined while it waits. */
  readonly claimedBy?: string | undefined
  /** The reason its last delivery failed. */
  readonly lastFailure?: string | undefined
  /** The time it was given up; undefined before. */
  readonly diedAt?: Instant | undefined
  /** The earliest time the row may be swept; 0 until it is given up. */
  readonly keepUntil: Instant
}
