import type { JsonObject } from "./json.ts"
import type { Instant } from "./time.ts"

/** Another OpenID Provider that people may sign in at, as pages name it. */
export interface IdentityProvider {
  /** As `acr_values=idp:NAME` names it: lower-case letters, digits and dashes. */
  readonly name: string
  /** The name to show. */
  readonly displayName: string
}

/** Claims that the provider states itself: neither a person's record nor another provider may say them. */
export const reservedClaims: ReadonlySet<string> = new Set([
  "sub",
  "iss",
  "aud",
  "exp",
  "iat",
  "nbf",
  "jti",
  "nonce",
  "auth_time",
  "acr",
  "amr",
  "azp",
  "sid",
  "at_hash",
  "c_hash",
  "client_id",
  "scope",
])

/** A person as another provider vouches for them: `issuer` and `subject` together name them for ever (OpenID Connect Core §5.7). */
export interface UpstreamIdentity {
  /** The name it is configured under. */
  readonly provider: string
  /** The issuer that vouches. */
  readonly issuer: string
  /** The `sub` of the person there. */
  readonly subject: string
  /** Claims under our own names, as the provider's claim mapping says. */
  readonly claims: JsonObject
  /** The time the person signed in there, where it says so. */
  readonly authTime?: Instant | undefined
  /** The methods it says were used. */
  readonly amr: ReadonlyArray<string>
  /** The authentication context it says was reached. */
  readonly acr?: string | undefined
  /** The session there, by which its logout tokens may name it (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: string | undefined
}
