import { type AnyFeature, clientFieldsOf, closest } from "@postern/core"
import type { Field, JsonObject } from "@postern/core/model"
import { type Finding, finding } from "../fault.ts"
import { featuresOf, sectionsIn } from "../features.ts"
import { type ConfigRule, configRule } from "../rule.ts"

/** Metadata members that are unique to each client. A policy's value for them would be replaced, or shared by unrelated clients. */
const ownOfEachClient: ReadonlySet<string> = new Set(["client_id", "client_secret"])

/** Suggests similar names, or removal if there are none. */
const meant = (name: string, fields: ReadonlyMap<string, Field>): string => {
  const near = closest(name, [...fields.keys()])
  return near.length === 0 ? "remove it; docs/clients.md lists the metadata of clients" : `did you mean ${near.join(" or ")}?`
}

/** Returns the faults of metadata that a policy adds to every client. Paths start with the member. */
export const addedFaults = (
  metadata: JsonObject,
  features: ReadonlyArray<AnyFeature>,
  refused = "every registration would be refused",
): ReadonlyArray<Finding> => {
  const fields = new Map(clientFieldsOf({ features }).map((each) => [each.name, each]))
  return Object.entries(metadata).flatMap(([name, value]) => {
    const path = [name]
    const field = fields.get(name)
    if (ownOfEachClient.has(name)) return [finding(path, "is each client's own", "remove it: the provider makes it at registration")]
    if (field === undefined)
      return [{ ...finding(path, `is not client metadata of this provider: ${refused}`, meant(name, fields)), about: "key" }]
    return field.values.fits(value) ? [] : [finding(path, `is not an allowed value: ${refused}`, field.description)]
  })
}

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
    const added = registration?.policy?.metadata ?? {}
    if (Object.keys(added).length === 0) return []
    return addedFaults(added, featuresOf({ grants, ciba }, around.absolute)).map((each) => ({
      ...each,
      path: ["registration", "policy", "metadata", ...each.path],
    }))
  }),
  configRule("config.documents-metadata", "Client ID Metadata Document §4.1", ({ config, around }) => {
    const added = (config.metadata_documents?.policies ?? []).map(({ metadata = {} }) => metadata)
    if (added.every((metadata) => Object.keys(metadata).length === 0)) return []
    const { grants, registration } = config
    const stated = { ...sectionsIn(config), grants, registration: registration && {}, metadata_documents: {} }
    const features = featuresOf(stated, around.absolute)
    return added.flatMap((metadata, at) =>
      addedFaults(metadata, features, "every client of these hosts would be refused").map((each) => ({
        ...each,
        path: ["metadata_documents", "policies", at, "metadata", ...each.path],
      })),
    )
  }),
]
