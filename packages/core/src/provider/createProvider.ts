import { joseJwts } from "../jose/jwts.ts"
import { defaultFeatures } from "./defaults.ts"
import type { ProviderOptions, ProviderPorts } from "./options.ts"
import { type Provider, providerOf } from "./provider.ts"
import type { ProvidersOptions } from "./issuers/options.ts"
import { type Providers, providersOf } from "./issuers/providers.ts"

/**
 * Binds a provider to plain ports: no Effect in sight. It has the default features, unless it is given others. Throws one `TypeError` that names every missing or
 * wrong port and setting.
 */
export const createProvider = (options: ProviderOptions & ProviderPorts): Provider => providerOf(options, defaultFeatures, joseJwts)

/**
 * Binds providers of several issuers, in one process, to ports that they share or have of their own. Each has its part of the store of tokens, of which no other reads or
 * changes anything. Throws one `TypeError` that names every fault of all of them.
 */
export const createProviders = (options: ProvidersOptions): Providers => providersOf(options, defaultFeatures, joseJwts)
