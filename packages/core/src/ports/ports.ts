import type * as Effect from "effect/Effect"
import type { Settings } from "../model/index.ts"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { JwtsPort } from "./jwts.ts"
import type { LimiterPort } from "./limiter.ts"
import type { OutboundPort } from "./outbound.ts"
import type { Outward } from "./outward.ts"
import type {
  AuditPort,
  AuthenticatorPort,
  ClientStorePort,
  DigestPort,
  EntropyPort,
  PagesPort,
  SignerPort,
  TokenStorePort,
  TrailPort,
} from "./plain.ts"
import type { ReportPort } from "./report.ts"
import type { Lifted } from "./services.ts"

/** Every port a provider is bound to, as its endpoints use them: taken once, when the provider is made. */
export interface Ports {
  readonly clients: Lifted<ClientStorePort>
  readonly tokens: Lifted<TokenStorePort>
  readonly signer: Lifted<SignerPort>
  readonly authenticator: Lifted<AuthenticatorPort>
  readonly identityProviders: Lifted<IdentityProvidersPort>
  readonly outbound: Lifted<OutboundPort>
  /** The places that those who wait for `identityProviders` and `outbound` take. */
  readonly outward: Outward
  readonly jwts: Lifted<JwtsPort>
  readonly digest: Lifted<DigestPort>
  readonly entropy: EntropyPort
  readonly pages: PagesPort
  readonly trails: TrailPort
  readonly audit: AuditPort
  readonly report: ReportPort
  /** Undefined where nobody is limited. */
  readonly limiter?: LimiterPort | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => Effect.Effect<number>
  readonly settings: Settings
}
