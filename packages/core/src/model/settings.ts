import type { Lifetimes } from "./client.ts"
import type { DetailRules } from "./details.ts"
import type { Members } from "./member.ts"
import type { Catalog } from "./scope.ts"
import type { AuthorizationParameters } from "./parameter.ts"
import type { InteractionRoutes } from "./ownPages.ts"
import type { Profile } from "./profile.ts"
import type { ResponseMode } from "./responseMode.ts"
import type { Secret } from "./secret.ts"
import type { Seconds } from "./time.ts"
import type { IdentityProvider } from "./upstream.ts"

/** The authentication contexts of sign-ins that name none themselves (OpenID Connect Core §2 acr). */
export interface DefaultAcr {
  /** Of a password that was checked here. */
  readonly password: string
  /** Of a sign-in at another provider that did not say which context it reached. */
  readonly upstream: string
}

/** The setup of a provider, given once for all its clients. */
export interface Settings extends Members {
  /** The issuer identifier, byte for byte as clients will compare it (RFC 8414 §2). */
  readonly issuer: string
  /** Every scope there is. */
  readonly catalog: Catalog
  /** Life of a sign-in session since it was last used. */
  readonly sessionLifetime: Seconds
  /** Time that an authorization request waits for a person. */
  readonly interactionLifetime: Seconds
  /** Number of processes that serve together as one server. */
  readonly processes: number
  /** Pages of the embedder's own, in place of ours. */
  readonly interactionRoutes: InteractionRoutes
  /** The other providers that people may sign in at. */
  readonly identityProviders: ReadonlyArray<IdentityProvider>
  /** The authentication context of a sign-in that names none. */
  readonly acr: DefaultAcr
  /** Other authentication contexts that sign-ins can reach, from weakest to strongest. */
  readonly acrValues: ReadonlyArray<string>
  /** The tenants that pages have looks for; where there are none, any may be named. */
  readonly tenants: ReadonlyArray<string>
  /** The salt that pairwise subjects are made with; it must never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret | undefined
  /** Its parameters of authorization requests. */
  readonly authorizationParameters: AuthorizationParameters
  /** Its response modes, by name. */
  readonly responseModes: ReadonlyMap<string, ResponseMode>
  /** The types of authorization details (RFC 9396); undefined where no feature has any. */
  readonly details: DetailRules | undefined
  /** The profile of clients that name none. */
  readonly profile: Profile
  /** Names of the client metadata that the provider's features read. */
  readonly clientMetadata: ReadonlySet<string>
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

/** The authentication contexts of sign-ins that name none, unless they are configured. */
export const defaultAcr: DefaultAcr = { password: "urn:postern:password", upstream: "urn:postern:upstream" }

/** Life of a sign-in session, sliding. */
export const defaultSessionLifetime: Seconds = 36_000

/** Life of a waiting authorization request. */
export const defaultInteractionLifetime: Seconds = 900
