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

/** Asks a service that a feature was given as a function: by its name, the operation, and the arguments that a record may have. */
export type ServiceAsked = <A>(
  service: string,
  operation: string,
  args: ReadonlyArray<unknown>,
  ask: Effect.Effect<A, PortFailed>,
) => Effect.Effect<A, PortFailed>

/** Every port a provider is bound to, as its endpoints use them: taken once, when the provider is made. */
export interface Ports {
  /** Finds clients and checks their secrets. */
  readonly clients: Lifted<ClientStorePort>
  /** Finds clients as they were last known: nothing is fetched, so that a client's host decides nothing of a person's own sessions and consents. */
  readonly knownClients: Lifted<ClientStorePort>
  /** Keeps everything that changes. */
  readonly tokens: LiftedTokenStore
  /** Signs tokens and publishes keys. */
  readonly signer: Lifted<SignerPort>
  /** Knows the people who may sign in. */
  readonly authenticator: Lifted<AuthenticatorPort>
  /** Signs people in at other providers. */
  readonly identityProviders: Lifted<IdentityProvidersPort>
  /** Fetches what clients publish. */
  readonly outbound: Lifted<OutboundPort>
  /** The places that those who wait for `identityProviders` and `outbound` take. */
  readonly outward: Outward
  /** Told of messages that a commit wrote; undefined where they wait for the next look at the outbox. */
  readonly outbox?: OutboxPort | undefined
  /** Verifies JWTs of others, and encrypts to them. */
  readonly jwts: Lifted<JwtsPort>
  /** Computes SHA-2 digests. */
  readonly digest: Lifted<DigestPort>
  /** Draws randomness. */
  readonly entropy: EntropyPort
  /** The key of the hashes that stand for accounts. */
  readonly accountKey: () => Secret
  /** Turns page models into HTML. */
  readonly pages: Pages
  /** Receives trails. */
  readonly trails: TrailPort
  /** Receives audit events. */
  readonly audit: AuditPort
  /** Receives failures. */
  readonly report: ReportPort
  /** Undefined where nobody is limited. */
  readonly limiter?: LimiterPort | undefined
  /** Receives whole requests; undefined where nothing is recorded. */
  readonly recorder?: RecorderPort | undefined
  /** Asks a service of the operator's own, so that a record has its answer; undefined where nothing is recorded. */
  readonly serviceAsked?: ServiceAsked | undefined
  /** The time that ports have to answer, for whatever else a request waits for. */
  readonly patience: Patience
  /** Milliseconds since 1970. */
  readonly clock: () => Effect.Effect<number>
  /** The settings of the provider. */
  readonly settings: Settings
}
