export * from "./model/index.ts"
export * from "./ports/index.ts"
export type { CommonPorts, PlainPorts, ProviderOptions, ProviderPorts } from "./provider/options.ts"
export { settingsFrom } from "./provider/options.ts"
export * from "./provider/provider.ts"
export * from "./wire/index.ts"
export {
  type AnyFeature,
  type Choice,
  type Registering,
  type RuleEntry,
  type TableEntry,
  type ClientMetadataSchema,
  clientFieldsOf,
  clientMetadataSchema,
  compose,
  registering,
  deliveriesOf,
  rowKindsOf,
  ruleTables,
  ruleTablesOf,
} from "./provider/compose.ts"
export { compositionFaults } from "./provider/creation.ts"
export { defaultFeatures } from "./provider/features.ts"
export { type ClientDefinition, ClientRefused, type ClientSetting, defineClient } from "./provider/defineClient.ts"
export { consoleReport } from "./console/index.ts"
export * from "./extension/index.ts"
export { closest } from "./rules/closest.ts"
export { registrationFaults } from "./rules/registration.ts"
export type { Fault, Registration, RegistrationSeen, RegistrationTable } from "./rules/registrationFault.ts"
export { sectorDocumentFault } from "./rules/sector.ts"
export { defaultProfile, governed, profileNamed, profiles } from "./profiles/index.ts"
export type { Composition, Described, Feature } from "./features/feature.ts"
