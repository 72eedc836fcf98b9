import { partFaults, refuseFaults } from "../model/members.ts"
import { joseJwsVerifier } from "../jose/verification.ts"
import type { RowKind } from "../model/index.ts"
import type { DeliveryHandler } from "../settle/outbox.ts"
import { type Chosen, chosen, composed, rowKindsAt } from "./composition.ts"
import { type DeliveredOptions, type DeliveryPorts, deliveriesAt } from "./deliveries.ts"
import type { ProviderOptions, ProviderPorts } from "./options.ts"
import { type Provider, providerOf } from "./provider.ts"
import type { ProvidersOptions } from "./issuers/options.ts"
import { type Providers, providersOf } from "./issuers/providers.ts"

// The entry point for small bundles: it imports only the features that are given.

export type { AnyFeature, Chosen } from "./composition.ts"
export type { DeliveryPorts } from "./deliveries.ts"
export type { CommonPorts, PlainPorts, ProviderOptions, ProviderPorts } from "./options.ts"
export type { Provider } from "./provider.ts"
export type { IssuerForm } from "./issuers/address.ts"
export type { FoundIssuer, IssuerOptions, IssuerSought, ProvidersOptions } from "./issuers/options.ts"
export type { Providers } from "./issuers/providers.ts"
export type { Resume } from "../features/ownPages.ts"
export type { ServedEndpoint } from "./reach.ts"
export { registeredClient } from "../model/registered.ts"
export { defaultLifetimes } from "../model/index.ts"
export * from "./features.ts"

/**
 * Creates a provider with plain ports and only the given features. A feature that is not imported is not in the bundle; `createProvider` of
 * `@postern/core` has all of them. Without a port `jwts`, it verifies JWTs of other parties but cannot encrypt. Throws one `TypeError` that
 * lists every missing or invalid port and setting.
 */
export const createProvider = (options: Chosen & ProviderOptions & ProviderPorts): Provider => providerOf(options, [], joseJwsVerifier)

/**
 * Creates the providers of several issuers with only the given features, unlike `createProviders` of `@postern/core`, which has all of
 * them.
 */
export const createProviders = (options: Chosen & ProvidersOptions): Providers => providersOf(options, [], joseJwsVerifier)

/** Returns a choice of features, after throwing a `TypeError` for one that names none. */
const given = <A extends Chosen>(called: string, choice: A): A => {
  refuseFaults(called, partFaults("options", choice, { features: "list" }))
  return chosen(called, choice)
}

/** Returns every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsOf = (choice: Chosen): ReadonlyArray<RowKind> => rowKindsAt(composed(given("rowKindsOf", choice)))

/**
 * Returns the handlers of the messages that a provider's features write, for `startDelivering`. The options of the provider determine the
 * messages that are sent.
 */
export const deliveriesOf = (choice: Chosen & DeliveredOptions, ports: DeliveryPorts): Readonly<Record<string, DeliveryHandler>> =>
  deliveriesAt(composed(given("deliveriesOf", choice)), ports, choice)
