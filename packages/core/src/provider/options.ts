import type { DefaultAcr, IdentityProvider, IdentityScope, InteractionRoutes, Json, Resource, Secret } from "../model/index.ts"
import type { ExtensionGrant } from "../extension/index.ts"
import type { Feature } from "../features/feature.ts"
import type {
  AuditPort,
  AuthenticatorPort,
  ClientStorePort,
  DigestPort,
  EntropyPort,
  IdentityProvidersPort,
  JwtsPort,
  LimiterPort,
  OutboundPort,
  OutboxPort,
  PagesPort,
  RecorderPort,
  ReportPort,
  SignerPort,
  TimerPort,
  TokenStorePort,
  TrailPort,
} from "../ports/index.ts"

/** Settings of a provider. */
export interface ProviderOptions {
  /** The issuer identifier: an https URL without query or fragment, exactly as clients compare it (RFC 8414 §2). */
  readonly issuer: string
  /** Identity scopes in addition to the standard ones; one with the same name replaces the standard one. */
  readonly scopes?: ReadonlyArray<IdentityScope> | undefined
  /** Protected resources and the scopes they own. */
  readonly resources?: ReadonlyArray<Resource> | undefined
  /** Seconds for which a sign-in lasts after its last use; 36000 by default. */
  readonly sessionLifetime?: number | undefined
  /** Seconds for which a request waits for a person; 900 by default. */
  readonly interactionLifetime?: number | undefined
  /**
   * Number of processes that form one server; 1 by default. Each has an equal share of the slots for outbound requests, and for requests
   * that wait for the result of earlier password guesses.
   */
  readonly processes?: number | undefined
  /**
   * Your own pages for sign-in, consent and devices, which replace the built-in ones. They are paths of the issuer's origin, and use
   * `provider.interaction` and `provider.resume`. Each is optional.
   */
  readonly interactions?: InteractionRoutes | undefined
  /** Other OpenID Providers at which people may sign in, through the port `identityProviders`. */
  readonly upstream?: ReadonlyArray<IdentityProvider> | undefined
  /**
   * The `acr` of sign-ins for which the authenticator or the other provider states none: `urn:postern:password` and `urn:postern:upstream`
   * by default. Discovery lists them.
   */
  readonly acr?: { readonly [Kind in keyof DefaultAcr]?: string | undefined } | undefined
  /**
   * Other authentication contexts that the authenticator or other providers can satisfy, from weakest to strongest. Discovery lists them.
   * If a session is below the context that a client requests, the person must sign in again (RFC 9470 §5).
   */
  readonly acrValues?: ReadonlyArray<string> | undefined
  /** Tenants with a page theme. Pages do not show any other tenant from `acr_values=tenant:NAME`. By default, any tenant is shown. */
  readonly tenants?: ReadonlyArray<string> | undefined
  /** The salt of pairwise subjects: at least 32 random characters that never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret | undefined
  /**
   * The key of the hashes that represent accounts in audit events and in the cookies of known devices: at least 32 random characters, the
   * same after a restart and on every machine. Each provider generates its own by default.
   */
  readonly accountKey?: Secret | undefined
  /**
   * The features of the provider; `defaultFeatures` by default. An omitted feature is completely absent, including its paths, discovery
   * members and client metadata.
   */
  readonly features?: ReadonlyArray<Feature | ExtensionGrant> | undefined
  /**
   * The time limit of each port call, in milliseconds; 20,000 by default. If a port has not answered by then, the request fails as if the
   * port had failed: with 503 and nothing consumed, or, for a commit, with an unknown outcome. Pages have a `timeout` of their own.
   */
  readonly portTimeout?: number | undefined
  /** Settings of features, by name, such as `require_…`. Each has a default. */
  readonly settings?: Readonly<Record<string, Json>> | undefined
  /**
   * Extension grants in addition to the features (RFC 6749 §4.5), created with `extensionGrant`. A client may use one if its name is among
   * the client's `grant_types`.
   */
  readonly grants?: ReadonlyArray<ExtensionGrant> | undefined
  /** The profile of clients whose metadata names none, such as `oauth2.1`; `default` by default. */
  readonly profile?: string | undefined
  /** Ids of rules to disable, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlyArray<string> | undefined
}

/** The ports that Effect services may replace. */
export interface PlainPorts {
  /** Finds clients and checks their secrets. */
  readonly clients: ClientStorePort
  /** Stores all mutable state. */
  readonly tokens: TokenStorePort
  /** Signs tokens and publishes keys. */
  readonly signer: SignerPort
  /** Authenticates the people who may sign in. */
  readonly authenticator: AuthenticatorPort
}

/** The ports with defaults, or without an Effect form. */
export interface CommonPorts {
  /** Renders page models as HTML. */
  readonly pages: PagesPort
  /** Signs people in at other providers; there are none by default. */
  readonly identityProviders?: IdentityProvidersPort | undefined
  /** Fetches documents that clients publish; nothing is fetched by default. */
  readonly outbound?: OutboundPort | undefined
  /** Called with messages that were written; by default, they wait for the next poll of the outbox. */
  readonly outbox?: OutboxPort | undefined
  /** The implementation of jose by default. */
  readonly jwts?: JwtsPort | undefined
  /** The implementation of WebCrypto by default. */
  readonly entropy?: EntropyPort | undefined
  /** The implementation of WebCrypto by default. */
  readonly digest?: DigestPort | undefined
  /** Dropped when not given. */
  readonly trails?: TrailPort | undefined
  /** Dropped when not given. */
  readonly audit?: AuditPort | undefined
  /** Receives each failure of a port, and each bug; written to `console.error` by default. */
  readonly report?: ReportPort | undefined
  /** Limits request rates; there are no limits by default. */
  readonly limiter?: LimiterPort | undefined
  /** Records whole requests with the answers of all ports; nothing is recorded by default. */
  readonly recorder?: RecorderPort | undefined
  /** Starts the timers for the time limits of pages and ports, and for requests that wait for another one; the platform's by default. */
  readonly timer?: TimerPort | undefined
  /** Returns milliseconds since 1970, as `Date.now` does; the system clock by default. Every other time is in seconds. */
  readonly clock?: (() => number) | undefined
}

/** The ports of an embedder's provider. Every port may return a value or a promise. */
export type ProviderPorts = PlainPorts & CommonPorts
