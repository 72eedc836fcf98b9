import type { Composition } from "../features/feature.ts"
import {
  type AuthorizationParameters,
  type Catalog,
  type InteractionRoutes,
  type Json,
  type Settings,
  catalog,
  defaultAcr,
  defaultInteractionLifetime,
  defaultSessionLifetime,
  standardScopes,
} from "../model/index.ts"
import { defaultProfile, profileNamed } from "../profiles/index.ts"
import { onceFor } from "./composition.ts"
import type { ProviderOptions } from "./options.ts"
import { settingFaults } from "./settingFaults.ts"

/** Derives the settings from the options. Throws a `TypeError` that lists every fault. */
export const settingsAt = (options: ProviderOptions, provider: Composition, scopes = catalogOf): Settings => {
  const faults = settingFaults(options)
  if (faults.length > 0) throw new TypeError(faults.join("; "))
  const { acr, settings: members = noMembers } = options
  const { authorizationParameters, responseModes, clientMetadata, detailsOf } = featureSettings(provider)
  // Values that providers share are identical objects.
  return {
    issuer: options.issuer,
    catalog: scopes(options),
    details: detailsOf(members),
    profile: profileNamed(options.profile ?? defaultProfile.name) ?? defaultProfile,
    rulesOff: options.rulesOff === undefined ? noRules : new Set(options.rulesOff),
    processes: options.processes ?? 1,
    sessionLifetime: options.sessionLifetime ?? defaultSessionLifetime,
    interactionLifetime: options.interactionLifetime ?? defaultInteractionLifetime,
    interactionRoutes: options.interactions ?? noRoutes,
    identityProviders: options.upstream ?? none,
    acr: acr === undefined ? defaultAcr : { password: acr.password ?? defaultAcr.password, upstream: acr.upstream ?? defaultAcr.upstream },
    acrValues: options.acrValues ?? none,
    tenants: options.tenants ?? none,
    pairwiseSalt: options.pairwiseSalt,
    authorizationParameters,
    responseModes,
    clientMetadata,
    members,
  }
}

const none: ReadonlyArray<never> = []
const noRoutes: InteractionRoutes = {}
const noMembers: Readonly<Record<string, Json>> = {}

const noRules: ReadonlySet<string> = new Set()

/** Builds the catalog of the scopes in the options. */
export const catalogOf = ({ scopes = [], resources = [] }: Pick<ProviderOptions, "scopes" | "resources">): Catalog =>
  catalog([...standardScopes, ...scopes], resources)

/** Derives settings from the features of a provider. */
const featureSettings = onceFor((provider) => ({
  authorizationParameters: parametersOf(provider),
  responseModes: new Map(provider.responseModes.map((mode) => [mode.name, mode])),
  clientMetadata: new Set(provider.clientMetadata.map(({ name }) => name)),
  detailsOf: onceFor((members: Settings["members"]): Settings["details"] =>
    provider.features.find(({ details }) => details !== undefined)?.details?.({ members }),
  ),
}))

const parametersOf = ({ authorizationParameters: parameters }: Composition): AuthorizationParameters => ({
  known: new Set(parameters.map(({ name }) => name)),
  repeated: new Set(parameters.flatMap(({ name, repeats }) => (repeats === true ? [name] : []))),
})
