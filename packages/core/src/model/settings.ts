import type { Lifetimes } from "./client.ts"
import type { Catalogue } from "./scope.ts"
import type { Secret } from "./secret.ts"
import type { Seconds } from "./time.ts"
import type { IdentityProvider } from "./upstream.ts"

/** What a provider is set up with, once, for all its clients. */
export interface Settings {
  /** The issuer identifier, byte for byte as clients will compare it (RFC 8414 §2). */
  readonly issuer: string
  readonly catalogue: Catalogue
  /** Life of a sign-in session since it was last used. */
  readonly sessionLifetime: Seconds
  /** How long an authorization request waits for a person. */
  readonly interactionLifetime: Seconds
  readonly identityProviders: ReadonlyArray<IdentityProvider>
  /** The tenants that pages have looks for; where there are none, any may be named. */
  readonly tenants: ReadonlyArray<string>
  /** What pairwise subjects are made with; it must never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret | undefined
  /** Ids of rules that are not applied. For the knock-out test and strictness profiles; empty in production. */
  readonly rulesOff: ReadonlySet<string>
}

/** Lifetimes of everything a client is given, unless its metadata says otherwise. */
export const defaultLifetimes: Lifetimes = {
  accessToken: 3600,
  idToken: 300,
  authorizationCode: 60,
  refreshTokenAbsolute: 2_592_000,
  refreshTokenSliding: 1_296_000,
  refreshTokenGrace: 30,
  consent: 0,
  deviceCode: 300,
  devicePollingInterval: 5,
}

/** Life of a sign-in session, sliding. */
export const defaultSessionLifetime: Seconds = 36_000

/** Life of a waiting authorization request. */
export const defaultInteractionLifetime: Seconds = 900
