import { joseJwts } from "../jose/jwts.ts"
import { defaultFeatures } from "./defaults.ts"
import type { ProviderOptions, ProviderPorts } from "./options.ts"
import { type Provider, providerOf } from "./provider.ts"
import type { ProvidersOptions } from "./issuers/options.ts"
import { type Providers, providersOf } from "./issuers/providers.ts"

/**
 * Creates a provider with plain ports, without Effect. It has the default features unless others are given. Throws one `TypeError` that
 * lists every missing or invalid port and setting.
 */
export const createProvider = (options: ProviderOptions & ProviderPorts): Provider => providerOf(options, defaultFeatures, joseJwts)

/**
 * Creates the providers of several issuers in one process, with shared or individual ports. Each has a part of the token store that no
 * other reads or changes. Throws one `TypeError` that lists the faults of all of them.
 */
export const createProviders = (options: ProvidersOptions): Providers => providersOf(options, defaultFeatures, joseJwts)
