import type { Secret, UpstreamIdentity } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** A sign-in at another provider, about to begin. */
export interface UpstreamRequest {
  /** The name it is configured under. */
  readonly provider: string
  /** Ours, where its answer comes to. */
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  /** PKCE (RFC 7636 §4.1); only its S256 challenge is sent. */
  readonly codeVerifier: string
  readonly loginHint?: string | undefined
  readonly uiLocales?: string | undefined
  /** `login` when the person must sign in again there, `select_account` when they must choose. */
  readonly prompt: ReadonlyArray<string>
  readonly maxAge?: number | undefined
}

/** What another provider sent the browser back with. */
export interface UpstreamAnswer {
  readonly provider: string
  readonly redirectUri: string
  readonly params: ReadonlyArray<readonly [string, string]>
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** What came of a sign-in at another provider. */
export type UpstreamOutcome =
  | { readonly _tag: "Identified"; readonly identity: UpstreamIdentity }
  /** It did not sign the person in, or not so that it can be believed: the operator reads why. */
  | { readonly _tag: "Declined"; readonly denied: boolean; readonly reason: string }

/** A password that another provider is to check. */
export interface UpstreamPassword {
  readonly provider: string
  readonly username: string
  readonly password: Secret
}

/** Signs people in at other OpenID Providers. A throw or rejection means that one cannot be reached. */
export interface IdentityProvidersPort {
  /** The URL to send the browser to. */
  readonly begin: (request: UpstreamRequest) => Awaitable<string>
  /** Redeems the answer and verifies all of it: state, issuer, signature, nonce (OpenID Connect Core §3.1.3.7). Called once for each answer. */
  readonly finish: (answer: UpstreamAnswer) => Awaitable<UpstreamOutcome>
  /** Checks a password there, for the password grant; declined by a provider that is not set up for it. */
  readonly password: (request: UpstreamPassword) => Awaitable<UpstreamOutcome>
}

/** No other provider: for a provider that knows its people itself. */
export const noIdentityProviders: IdentityProvidersPort = {
  begin: () => Promise.reject(new Error("no IdentityProviders port was given to the provider")),
  finish: () => ({ _tag: "Declined", denied: false, reason: "no IdentityProviders port was given to the provider" }),
  password: () => ({ _tag: "Declined", denied: false, reason: "no IdentityProviders port was given to the provider" }),
}
