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

/** The parts that stay from the start to the end. */
export interface Lasting {
  /** The key of the hashes that stand for accounts: the database's own. */
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
  /** Leaves hosts alone that fail to answer for documents and logos, whose addresses anybody can choose. */
  readonly strangers: Breaker
  /** Makes the provider: `createProvider`, or what records around it. */
  readonly create: typeof createProvider
  /** Number of processes that serve together. */
  readonly processes: number | undefined
}

/** Makes a provider and its pages of a setup, as often as there is one, around the parts that stay. */
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
  // The client for other providers is loaded only where there are any, and made again only when they change: it knows their keys.
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
