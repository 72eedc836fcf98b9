import type { JwkSet, Secret, UpstreamIdentity } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** A sign-in at another provider that is about to begin. */
export interface UpstreamRequest {
  /** The name it is configured under. */
  readonly provider: string
  /** Our redirect URI, at which the response arrives. */
  readonly redirectUri: string
  /** The `state` to send. */
  readonly state: string
  /** The `nonce` to send. */
  readonly nonce: string
  /** PKCE (RFC 7636 §4.1); only its S256 challenge is sent. */
  readonly codeVerifier: string
  /** The username, if it is already known. */
  readonly loginHint?: string | undefined
  /** The languages the person wants, as `ui_locales`. */
  readonly uiLocales?: string | undefined
  /** `login` when the person must sign in again there, `select_account` when they must choose. */
  readonly prompt: ReadonlyArray<string>
  /** The maximum number of seconds since the sign-in there. */
  readonly maxAge?: number | undefined
  /** Requested authentication context class references, in order of preference (OpenID Connect Core §3.1.2.1 acr_values). */
  readonly acrValues: ReadonlyArray<string>
}

/** The authorization response of another provider. */
export interface UpstreamAnswer {
  /** The name it is configured under. */
  readonly provider: string
  /** Our redirect URI, at which the response arrived. */
  readonly redirectUri: string
  /** The parameters of the response. */
  readonly params: ReadonlyArray<readonly [string, string]>
  /** The `state` that was sent. */
  readonly state: string
  /** The `nonce` that was sent. */
  readonly nonce: string
  /** The verifier of the challenge that was sent (RFC 7636 §4.5). */
  readonly codeVerifier: string
}

/** The outcome of a sign-in at another provider. */
export type UpstreamOutcome =
  | {
      /** The provider signed a person in. */
      readonly _tag: "Identified"
      /** The person that the provider asserts. */
      readonly identity: UpstreamIdentity
    }
  /** The provider did not sign the person in, or its response could not be verified. The reason is for the operator. */
  | {
      /** Nobody was signed in. */
      readonly _tag: "Declined"
      /** True if the person canceled the sign-in. */
      readonly denied: boolean
      /** The reason, for the operator. */
      readonly reason: string
    }

/** A password for another provider to check. */
export interface UpstreamPassword {
  /** The name it is configured under. */
  readonly provider: string
  /** The username, as typed. */
  readonly username: string
  /** The password, as typed. */
  readonly password: Secret
}

/** A request for the keys that another provider signs its logout tokens with. */
export interface UpstreamKeysAsked {
  /** The name it is configured under. */
  readonly provider: string
  /**
   * The cached key set, if it lacks a key. The set is then fetched again, but not repeatedly: if it is too early for another fetch, the
   * port rejects with `OutwardRefused`, so that the sender retries later.
   */
  readonly lacking?: JwkSet | undefined
}

/** The issuer, client and keys that the logout tokens of another provider are verified with. */
export interface UpstreamLogoutKeys {
  /** The issuer identifier of the provider. */
  readonly issuer: string
  /** Our `client_id` at that provider. */
  readonly clientId: string
  /** The algorithms that it signs our ID tokens with. Logout tokens signed with other algorithms are rejected. */
  readonly algorithms: ReadonlyArray<string>
  /** Its public keys. The object stays identical while the keys do not change. */
  readonly keys: JwkSet
}

/** Signs people in at other OpenID Providers. A throw or rejection means that a provider cannot be reached. */
export interface IdentityProvidersPort {
  /** Returns the URL to which the browser is redirected. */
  readonly begin: (request: UpstreamRequest) => Awaitable<string>
  /**
   * Exchanges the code of a response and verifies state, issuer, signature and nonce (OpenID Connect Core §3.1.3.7). Called once for each
   * response.
   */
  readonly finish: (answer: UpstreamAnswer) => Awaitable<UpstreamOutcome>
  /** Checks a password at the provider, for the password grant. Returns `Declined` if the provider is not configured for it. */
  readonly password: (request: UpstreamPassword) => Awaitable<UpstreamOutcome>
  /**
   * Finds the keys that verify a provider's logout tokens. Returns undefined if its logout tokens are not accepted; if the function is
   * omitted, none are.
   */
  readonly logoutKeys?: (asked: UpstreamKeysAsked) => Awaitable<UpstreamLogoutKeys | undefined>
}

/** The port of a provider without upstream providers. */
export const noIdentityProviders: IdentityProvidersPort = {
  begin: () => Promise.reject(new Error("no IdentityProviders port was given to the provider")),
  finish: () => ({ _tag: "Declined", denied: false, reason: "no IdentityProviders port was given to the provider" }),
  password: () => ({ _tag: "Declined", denied: false, reason: "no IdentityProviders port was given to the provider" }),
}
