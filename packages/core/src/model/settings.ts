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

/** The default authentication contexts of sign-ins (OpenID Connect Core §2 acr). */
export interface DefaultAcr {
  /** For a password that was checked here. */
  readonly password: string
  /** For a sign-in at another provider that returned no `acr`. */
  readonly upstream: string
}

/** The settings of a provider, which apply to all its clients. */
export interface Settings extends Members {
  /** The issuer identifier, exactly as clients compare it (RFC 8414 §2). */
  readonly issuer: string
  /** The catalog of scopes. */
  readonly catalog: Catalog
  /** Lifetime of a sign-in session after its last use. */
  readonly sessionLifetime: Seconds
  /** Time that an authorization request waits for a person. */
  readonly interactionLifetime: Seconds
  /** Number of processes that form one server. */
  readonly processes: number
  /** Pages of the embedder, which replace the built-in ones. */
  readonly interactionRoutes: InteractionRoutes
  /** The other providers that people may sign in at. */
  readonly identityProviders: ReadonlyArray<IdentityProvider>
  /** The default authentication contexts of sign-ins. */
  readonly acr: DefaultAcr
  /** Other authentication contexts that sign-ins can reach, from weakest to strongest. */
  readonly acrValues: ReadonlyArray<string>
  /** The tenants with a theme of their own; if there are none, a request may name any tenant. */
  readonly tenants: ReadonlyArray<string>
  /** The salt of pairwise subjects; it must never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret | undefined
  /** The authorization request parameters that the provider knows. */
  readonly authorizationParameters: AuthorizationParameters
  /** Its response modes, by name. */
  readonly responseModes: ReadonlyMap<string, ResponseMode>
  /** The types of authorization details (RFC 9396); undefined if no feature has any. */
  readonly details: DetailRules | undefined
  /** The profile of clients whose metadata names none. */
  readonly profile: Profile
  /** Names of the client metadata that the provider's features read. */
  readonly clientMetadata: ReadonlySet<string>
  /** Ids of rules that are not applied, for the knock-out test and strictness profiles. Empty in production. */
  readonly rulesOff: ReadonlySet<string>
}

/** Default lifetimes of everything issued to a client. */
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

/** Default authentication contexts, used unless others are configured. */
export const defaultAcr: DefaultAcr = { password: "urn:postern:password", upstream: "urn:postern:upstream" }

/** Default lifetime of a sign-in session after its last use. */
export const defaultSessionLifetime: Seconds = 36_000

/** Default lifetime of a waiting authorization request. */
export const defaultInteractionLifetime: Seconds = 900
