import { type Breaker, type JsonLog, nodeDigest, nodeEntropy, nodeJwts, nodeOutbound } from "@postern/adapter-http"
import { type LiquidPages, liquidPages } from "@postern/adapter-http/pages"
import type { createProvider, Provider } from "@postern/core"
import type { Secret } from "@postern/core/model"
import {
  type AuditPort,
  type IdentityProvidersPort,
  type LimiterPort,
  type OutboxPort,
  noIdentityProviders,
  type ReportPort,
  type SignerPort,
  type TrailPort,
} from "@postern/core/ports"
import type { Stores } from "@postern/stores"
import * as Redacted from "effect/Redacted"
import { providerOptions } from "../config/providerOptions.ts"
import type { Setup } from "../config/setup.ts"
import type { Agreement } from "./agreement.ts"

/** The parts of a running provider that a reload replaces. */
export interface Renewable {
  readonly provider: Provider
  readonly pages: LiquidPages
}

/** The parts of a running provider that a reload keeps. */
export interface Lasting {
  /** The database's key for hashes that represent accounts. */
  readonly accountKey: Secret
  readonly stores: Stores
  readonly agreement: Agreement
  readonly signer: SignerPort
  readonly trails: TrailPort
  readonly audit: AuditPort
  readonly report: ReportPort
  readonly limiter: LimiterPort | undefined
  readonly outbox: OutboxPort | undefined
  readonly log: JsonLog
  readonly breaker: Breaker
  /** The circuit breaker for documents and logos, whose hosts anyone can choose. */
  readonly strangers: Breaker
  /** Creates the provider: `createProvider`, or a wrapper that records. */
  readonly create: typeof createProvider
  /** The number of processes that serve together. */
  readonly processes: number | undefined
}

/** Returns a function that creates a provider and its pages from a setup and the parts that stay. */
export const renewing = ({
  stores,
  agreement,
  limiter,
  log,
  breaker: circuits,
  strangers,
  create,
  processes,
  ...ports
}: Lasting): ((setup: Setup) => Promise<Renewable>) => {
  let known: { readonly of: string; readonly port: IdentityProvidersPort } | undefined
  // The client of upstream providers is loaded only if there are any. It is recreated only if they change, because it caches their keys.
  const identityProviders = async ({ upstreamProviders }: Setup): Promise<IdentityProvidersPort> => {
    const others = Redacted.value(upstreamProviders)
    if (others.length === 0) return noIdentityProviders
    const of = JSON.stringify(others)
    known =
      known?.of === of
        ? known
        : { of, port: (await import("@postern/adapter-http/upstream")).upstreamProviders(others, { breaker: circuits }) }
    return known.port
  }
  return async (setup) => {
    const pages = liquidPages({
      ...setup.pages,
      onFault: (fault) => log.line("error", "page not shown from its template", { fault: fault.message }),
    })
    const provider = create({
      ...providerOptions(setup),
      processes,
      identityProviders: await identityProviders(setup),
      clients: agreement.clients,
      tokens: stores.tokens,
      authenticator: agreement.people,
      ...ports,
      pages,
      ...(limiter === undefined ? {} : { limiter }),
      outbound: nodeOutbound({ loopback: setup.development, breaker: circuits, strangers }),
      digest: nodeDigest,
      jwts: nodeJwts,
      entropy: nodeEntropy,
      clock: Date.now,
    })
    return { provider, pages }
  }
}
