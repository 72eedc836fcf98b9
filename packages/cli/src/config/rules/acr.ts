import { defaultAcr } from "@postern/core/model"
import { finding } from "../fault.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"

/** Returns the authentication contexts that sign-ins can reach, or undefined if an upstream provider may report any. */
const reached = ({ acr = {}, identity_providers = [] }: Partial<ConfigFile>): ReadonlySet<string> | undefined => {
  const maps = identity_providers.map(({ acr_values }) => acr_values)
  if (maps.includes(undefined)) return undefined
  const upstream = identity_providers.length === 0 ? [] : [acr.upstream ?? defaultAcr.upstream]
  return new Set([acr.password ?? defaultAcr.password, ...upstream, ...maps.flatMap((map) => Object.keys(map ?? {}))])
}

/** Rules about authentication contexts. */
export const acrRules: ReadonlyArray<ConfigRule> = [
  configRule("config.acr-order", "OpenID Connect Discovery §3, RFC 9470 §5", ({ config: { acr_values_supported = [] } }) =>
    repeats(acr_values_supported, (acr) => acr).map((at) =>
      finding(["acr_values_supported", at], "is named twice", "name each context once, from the weakest to the strongest"),
    ),
  ),
  configRule("config.acr-reachable", "OpenID Connect Discovery §3", ({ config, providersComplete }) => {
    const known = providersComplete ? reached(config) : undefined
    return (config.acr_values_supported ?? []).flatMap((acr, at) =>
      known === undefined || known.has(acr)
        ? []
        : [
            finding(
              ["acr_values_supported", at],
              "is reached by no sign-in",
              "it is the acr of passwords (acr.password), or one that a provider's acr_values map to: set one of them, or remove it",
            ),
          ],
    )
  }),
]
