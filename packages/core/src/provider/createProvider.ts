import { defaultFeatures } from "./defaults.ts"
import type { ProviderOptions, ProviderPorts } from "./options.ts"
import { type Provider, providerOf } from "./provider.ts"

/**
 * Binds a provider to plain ports: no Effect in sight. It has the default features, unless it is given others. Throws one `TypeError` that names every missing or
 * wrong port and setting.
 */
export const createProvider = (options: ProviderOptions & ProviderPorts): Provider => providerOf(options, defaultFeatures)
