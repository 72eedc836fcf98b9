import type { JsonObject } from "./json.ts"
import type { Instant } from "./time.ts"

/** Another OpenID Provider at which people may sign in, as pages show it. */
export interface IdentityProvider {
  /** The name in `acr_values=idp:NAME`: lower-case letters, digits and dashes. */
  readonly name: string
  /** The name to show. */
  readonly displayName: string
}

/** Claims that only the provider itself may set, neither a person's record nor another provider. */
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

/** A person as another provider identifies them: `issuer` and `subject` together are a permanent identifier (OpenID Connect Core §5.7). */
export interface UpstreamIdentity {
  /** The configured name of the provider. */
  readonly provider: string
  /** The issuer of the other provider. */
  readonly issuer: string
  /** The `sub` of the person there. */
  readonly subject: string
  /** Claims under our own names, according to the provider's claim mapping. */
  readonly claims: JsonObject
  /** The time of the sign-in there, if stated. */
  readonly authTime?: Instant | undefined
  /** The authentication methods that it states. */
  readonly amr: ReadonlyArray<string>
  /** The authentication context that it states. */
  readonly acr?: string | undefined
  /** The session id there, which its logout tokens may contain (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: string | undefined
}
