import type * as Effect from "effect/Effect"
import type { Secret, Settings } from "../model/index.ts"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { JwtsPort } from "./jwts.ts"
import type { LimiterPort } from "./limiter.ts"
import type { OutboundPort } from "./outbound.ts"
import type { OutboxPort } from "./outbox.ts"
import type { Pages } from "./pages.ts"
import type { Patience } from "./patience.ts"
import type { Outward } from "./outward.ts"
import type { AuditPort, AuthenticatorPort, ClientStorePort, DigestPort, EntropyPort, SignerPort, TrailPort } from "./plain.ts"
import type { RecorderPort } from "./recorder.ts"
import type { ReportPort } from "./report.ts"
import type { PortFailed } from "./portFailed.ts"
import type { Lifted, LiftedTokenStore } from "./lifted.ts"

/** Calls a service that a feature received as a function, with its name, the operation, and the arguments that may be recorded. */
export type ServiceAsked = <A>(
  service: string,
  operation: string,
  args: ReadonlyArray<unknown>,
  ask: Effect.Effect<A, PortFailed>,
) => Effect.Effect<A, PortFailed>

/** The ports of a provider, as its endpoints use them. They are bound once, when the provider is created. */
export interface Ports {
  /** Finds clients and checks their secrets. */
  readonly clients: Lifted<ClientStorePort>
  /**
   * Finds clients by their stored copies without fetching anything, so that a client's host has no influence on a person's own sessions and
   * consents.
   */
  readonly knownClients: Lifted<ClientStorePort>
  /** Stores all mutable state. */
  readonly tokens: LiftedTokenStore
  /** Signs tokens and publishes keys. */
  readonly signer: Lifted<SignerPort>
  /** Knows the people who may sign in. */
  readonly authenticator: Lifted<AuthenticatorPort>
  /** Signs people in at other providers. */
  readonly identityProviders: Lifted<IdentityProvidersPort>
  /** Fetches documents that clients publish. */
  readonly outbound: Lifted<OutboundPort>
  /** The slots for requests of `identityProviders` and `outbound`. */
  readonly outward: Outward
  /** Called with the messages that a commit wrote; undefined if they wait for the next poll of the outbox. */
  readonly outbox?: OutboxPort | undefined
  /** Verifies JWTs of other parties, and encrypts to them. */
  readonly jwts: Lifted<JwtsPort>
  /** Computes SHA-2 digests. */
  readonly digest: Lifted<DigestPort>
  /** Generates random bytes. */
  readonly entropy: EntropyPort
  /** Returns the key of the hashes that stand for accounts. */
  readonly accountKey: () => Secret
  /** Turns page models into HTML. */
  readonly pages: Pages
  /** Receives trails. */
  readonly trails: TrailPort
  /** Receives audit events. */
  readonly audit: AuditPort
  /** Receives failures. */
  readonly report: ReportPort
  /** Limits request rates; undefined if there are no limits. */
  readonly limiter?: LimiterPort | undefined
  /** Records whole requests; undefined if nothing is recorded. */
  readonly recorder?: RecorderPort | undefined
  /** Calls a service of the operator so that its answer is recorded; undefined if nothing is recorded. */
  readonly serviceAsked?: ServiceAsked | undefined
  /** The time limit of port calls, for other operations that a request waits for. */
  readonly patience: Patience
  /** Milliseconds since 1970. */
  readonly clock: () => Effect.Effect<number>
  /** The settings of the provider. */
  readonly settings: Settings
}
