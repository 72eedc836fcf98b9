import type { JwkSet, Secret, UpstreamIdentity } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** A sign-in at another provider, about to begin. */
export interface UpstreamRequest {
  /** The name it is configured under. */
  readonly provider: string
  /** Ours, where its answer comes to. */
  readonly redirectUri: string
  /** The `state` to send. */
  readonly state: string
  /** The `nonce` to send. */
  readonly nonce: string
  /** PKCE (RFC 7636 §4.1); only its S256 challenge is sent. */
  readonly codeVerifier: string
  /** The username that is known already. */
  readonly loginHint?: string | undefined
  /** The languages the person wants, as `ui_locales`. */
  readonly uiLocales?: string | undefined
  /** `login` when the person must sign in again there, `select_account` when they must choose. */
  readonly prompt: ReadonlyArray<string>
  /** Seconds since the sign-in there, at most. */
  readonly maxAge?: number | undefined
  /** Authentication contexts that are asked for, best first (OpenID Connect Core §3.1.2.1 acr_values). */
  readonly acrValues: ReadonlyArray<string>
}

/** The answer that another provider sent the browser back with. */
export interface UpstreamAnswer {
  /** The name it is configured under. */
  readonly provider: string
  /** Ours, where the answer came to. */
  readonly redirectUri: string
  /** The parameters of the answer. */
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
      /** It signed a person in. */
      readonly _tag: "Identified"
      /** The person as it vouches for them. */
      readonly identity: UpstreamIdentity
    }
  /** It did not sign the person in, or not so that it can be believed: the operator reads why. */
  | {
      /** It signed nobody in. */
      readonly _tag: "Declined"
      /** True if the person turned back. */
      readonly denied: boolean
      /** The reason, for the operator. */
      readonly reason: string
    }

/** A password that another provider is to check. */
export interface UpstreamPassword {
  /** The name it is configured under. */
  readonly provider: string
  /** The username as it was typed. */
  readonly username: string
  /** The password as it was typed. */
  readonly password: Secret
}

/** A question for the keys that another provider signs its logout tokens with. */
export interface UpstreamKeysAsked {
  /** The name it is configured under. */
  readonly provider: string
  /**
   * The set that was known, where it lacks a key: it is fetched anew, but not time after time. Where it is too early for that, the port rejects with
   * `OutwardRefused`, so that the sender tries again later.
   */
  readonly lacking?: JwkSet | undefined
}

/** Everything that the logout tokens of another provider are verified by. */
export interface UpstreamLogoutKeys {
  /** The issuer identifier of the provider. */
  readonly issuer: string
  /** The `client_id` we have there. */
  readonly clientId: string
  /** The algorithms it signs ID tokens for us with; those of other keys than its own count for nothing. */
  readonly algorithms: ReadonlyArray<string>
  /** Its public keys. The same object for as long as they are the same. */
  readonly keys: JwkSet
}

/** Signs people in at other OpenID Providers. A throw or rejection means that one cannot be reached. */
export interface IdentityProvidersPort {
  /** The URL to send the browser to. */
  readonly begin: (request: UpstreamRequest) => Awaitable<string>
  /** Redeems the answer and verifies all of it: state, issuer, signature, nonce (OpenID Connect Core §3.1.3.7). Called once for each answer. */
  readonly finish: (answer: UpstreamAnswer) => Awaitable<UpstreamOutcome>
  /** Checks a password there, for the password grant; declined by a provider that is not set up for it. */
  readonly password: (request: UpstreamPassword) => Awaitable<UpstreamOutcome>
  /** Finds what the logout tokens of a provider are verified by; undefined for one whose logout tokens are not taken, and so where this is left out. */
  readonly logoutKeys?: (asked: UpstreamKeysAsked) => Awaitable<UpstreamLogoutKeys | undefined>
}

/** No other provider: for a provider that knows its people itself. */
export const noIdentityProviders: IdentityProvidersPort = {
  begin: () => Promise.reject(new Error("no IdentityProviders port was given to the provider")),
  finish: () => ({ _tag: "Declined", denied: false, reason: "no IdentityProviders port was given to the provider" }),
  password: () => ({ _tag: "Declined", denied: false, reason: "no IdentityProviders port was given to the provider" }),
}
