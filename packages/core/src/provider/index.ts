import { joseJwsVerifier } from "../jose/verification.ts"
import type { RowKind } from "../model/index.ts"
import type { DeliveryHandler } from "../settle/outbox.ts"
import { type Chosen, composed, rowKindsAt } from "./composition.ts"
import { type DeliveredOptions, type DeliveryPorts, deliveriesAt } from "./deliveries.ts"
import type { ProviderOptions, ProviderPorts } from "./options.ts"
import { type Provider, providerOf } from "./provider.ts"
import type { ProvidersOptions } from "./issuers/options.ts"
import { type Providers, providersOf } from "./issuers/providers.ts"

// The entry for small bundles: nothing here imports a feature that is not given.

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
 * Binds a provider of the features that it is given to plain ports. A feature that is not imported is not in the bundle; `createProvider` of `@postern/core` has
 * all of them. Without a port `jwts` it verifies what others sign, and encrypts nothing. Throws one `TypeError` that names every missing or wrong port and setting.
 */
export const createProvider = (options: Chosen & ProviderOptions & ProviderPorts): Provider => providerOf(options, [], joseJwsVerifier)

/** Binds providers of several issuers, of the features that they are given, as `createProviders` of `@postern/core` does with all of them. */
export const createProviders = (options: Chosen & ProvidersOptions): Providers => providersOf(options, [], joseJwsVerifier)

/** Every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsOf = (choice: Chosen): ReadonlyArray<RowKind> => rowKindsAt(composed(choice))

/** The handlers of the messages that a provider's features write, for `startDelivering`: by the options of the provider, whose settings decide what is told. */
export const deliveriesOf = (choice: Chosen & DeliveredOptions, given: DeliveryPorts): Readonly<Record<string, DeliveryHandler>> =>
  deliveriesAt(composed(choice), given, choice)
