export * from "./model/index.ts"
export * from "./ports/index.ts"
export type { CommonPorts, PlainPorts, ProviderOptions, ProviderPorts } from "./provider/options.ts"
export { createProvider, createProviders } from "./provider/createProvider.ts"
export type { IssuerForm } from "./provider/issuers/address.ts"
export type { FoundIssuer, IssuerOptions, IssuerSought, ProvidersOptions } from "./provider/issuers/options.ts"
export type { Providers } from "./provider/issuers/providers.ts"
export type { Provider } from "./provider/provider.ts"
export * from "./wire/index.ts"
export type { AnyFeature, Choice, Registering, RuleEntry, TableEntry } from "./provider/composition.ts"
export {
  type ClientMetadataSchema,
  clientFieldsOf,
  clientMetadataSchema,
  compose,
  compositionFaults,
  deliveriesOf,
  registering,
  rowKindsOf,
  ruleTables,
  ruleTablesOf,
  settingsFrom,
  signOutEverywhere,
} from "./provider/compose.ts"
export { defaultFeatures } from "./provider/defaults.ts"
export { type FreshInitialAccessToken, type NewInitialAccessToken, initialAccessToken } from "./provider/initialAccessToken.ts"
export type { DeliveryPorts } from "./provider/deliveries.ts"
export { SignOutContended, type SignOutPorts } from "./provider/signOut.ts"
export { type ToldLogout, logoutMessage, sessionMessage, toldLogout } from "./features/back-channel-logout/message.ts"
export { type ClientDefinition, ClientRefused, type ClientSetting, defineClient } from "./provider/defineClient.ts"
export { consoleReport } from "./platform/console.ts"
export * from "./extension/index.ts"
export { type TypeFault as DetailTypeFault, typeFaults as detailTypeFaults } from "./features/rich-authorization/index.ts"
export { type ResourceFault, resourceFaults } from "./features/protected-resources/index.ts"
export { closest } from "./model/closest.ts"
export {
  type DocumentPolicy,
  type MetadataDocumentOptions,
  type MetadataDocumentRow,
  documentHostPattern,
  metadataDocumentRows,
  metadataDocuments,
} from "./features/metadata-documents/index.ts"
export {
  type AssertingProvider,
  type ClientElsewhere,
  type IdJagOptions,
  type ResourceAuthorizationServer,
  idJag,
} from "./features/id-jag/index.ts"
export { slidesBeyondEnd } from "./rules/registrationLifetimes.ts"
export { registrationFaults } from "./rules/registration.ts"
export type { Fault, Registration, RegistrationSeen, RegistrationTable } from "./rules/registrationFault.ts"
export { sectorDocumentFault } from "./rules/sector.ts"
export { defaultProfile, enabled, governed, paragraphs, profileNamed, profiles } from "./profiles/index.ts"
export type { Composition, Described, Feature } from "./features/feature.ts"
export type { RegistrationName } from "./features/registrations.ts"
export {
  type Answered,
  type Approval,
  type AuthenticationRequest,
  type CibaOptions,
  type HintIssuer,
  type WaitingAuthentication,
  authenticationRequests,
  ciba,
  cibaAnsweredPage,
  cibaApprovalPage,
} from "./features/ciba/index.ts"
export {
  type InitialAccessTokenRow,
  type RegisteredClientRow,
  type PolicyFault,
  type RegistrationOptions,
  type RegistrationPolicy,
  type StatementIssuer,
  cleanClient,
  redirectHostPattern,
  registrationPolicyFaults,
  unregisterClient,
  initialAccessTokens,
  registeredClients,
  registration,
  revokeInitialAccessToken,
  saveInitialAccessToken,
} from "./features/registration/index.ts"
export { sessionManagement } from "./features/session-management/index.ts"
export { upstreamLogout } from "./features/upstream-logout/index.ts"
