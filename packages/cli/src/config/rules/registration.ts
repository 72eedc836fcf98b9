import { type AnyFeature, type RegistrationPolicy, compose, registrationPolicyFaults } from "@postern/core"
import { type Finding, finding } from "../fault.ts"
import { plainFeatures, sectionsIn } from "../features.ts"
import { type ConfigRule, configRule } from "../rule.ts"

/**
 * Returns the faults of a policy that core finds at a provider of these features. Paths start with the member of the policy. `refused` tells
 * what becomes of the clients.
 */
export const policyFindings = (policy: RegistrationPolicy, features: ReadonlyArray<AnyFeature>, refused?: string): ReadonlyArray<Finding> =>
  registrationPolicyFaults(policy, compose({ features }), refused).map(({ path: [member = "", ...rest], reason, hint, isUnknown }) => ({
    ...finding([member === "grantTypes" ? "grant_types" : member, ...rest], reason, hint),
    ...(isUnknown && { about: "key" as const }),
  }))

/** Rules about dynamic registration and client ID metadata documents. */
export const registrationRules: ReadonlyArray<ConfigRule> = [
  configRule(
    "config.documents-development",
    "Client ID Metadata Document §4.4",
    ({ config: { metadata_documents: { policies = [] } = {} } }) =>
      policies.flatMap(({ verified, development }, at) =>
        verified === true && development === true
          ? [finding(["metadata_documents", "policies", at, "development"], "is set for hosts that are verified", "remove one of the two")]
          : [],
      ),
  ),
  configRule("config.registration-metadata", "RFC 7591 §3.2.1", ({ config: { grants, registration, ciba }, around }) => {
    const { metadata = {}, grant_types: grantTypes } = registration?.policy ?? {}
    if (Object.keys(metadata).length === 0 && grantTypes === undefined) return []
    return policyFindings({ metadata, grantTypes }, plainFeatures({ grants, ciba }, around.absolute)).map((each) => ({
      ...each,
      path: ["registration", "policy", ...each.path],
    }))
  }),
  configRule("config.documents-metadata", "Client ID Metadata Document §4.1", ({ config, around }) => {
    const added = (config.metadata_documents?.policies ?? []).map(({ metadata = {}, grant_types: grantTypes }) => ({
      metadata,
      grantTypes,
    }))
    if (added.every(({ metadata, grantTypes }) => Object.keys(metadata).length === 0 && grantTypes === undefined)) return []
    const { grants, registration } = config
    const features = plainFeatures({ ...sectionsIn(config), grants, registration, metadata_documents: {} }, around.absolute)
    return added.flatMap((policy, at) =>
      policyFindings(policy, features, "every client of these hosts would be refused").map((each) => ({
        ...each,
        path: ["metadata_documents", "policies", at, ...each.path],
      })),
    )
  }),
]
