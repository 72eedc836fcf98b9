import { systemClock } from "@postern/stores/sql"
import { type ProviderOptions, type ProviderPorts, type Provider, type Trail, createProvider, rowKindsOf } from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import type { SigningAlgorithm } from "@postern/core/model"
import { providerOptions } from "../config/providerOptions.ts"
import type { Setup } from "../config/setup.ts"

/** A provider that stores nothing, and the trails of its requests. */
export interface TrialProvider {
  readonly provider: Provider
  readonly trails: ReadonlyArray<Trail>
}

/** Creates an in-memory provider that applies the rules of its settings and has no effect outside this process. */
export const memoryProvider = async (
  options: ProviderOptions & Partial<ProviderPorts>,
  algorithms: ReadonlyArray<SigningAlgorithm> = ["RS256"],
): Promise<TrialProvider> => {
  const keys = await Promise.all(algorithms.map((alg) => generateKey(alg, { createdAt: 0, activeAt: 0 }, undefined)))
  const trails: Array<Trail> = []
  const provider = createProvider({
    clients: memoryClientStore([]),
    tokens: memoryTokenStore(rowKindsOf(options)),
    signer: joseSigner({ keys: () => keys, now: systemClock }),
    authenticator: memoryAuthenticator([]),
    pages: { render: () => "" },
    trails: { record: (trail) => void trails.push(trail()) },
    ...options,
  })
  return { provider, trails }
}

/** Creates an in-memory provider with the settings of a setup. */
export const trialProvider = (setup: Setup, more: Partial<ProviderOptions & ProviderPorts> = {}): Promise<TrialProvider> =>
  memoryProvider({ ...providerOptions(setup), ...more }, setup.algorithms)
