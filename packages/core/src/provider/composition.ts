import type { ExtensionGrant } from "../extension/index.ts"
import type { Composition, Feature } from "../features/feature.ts"
import { type Field, type IdentityProvider, type RowKind, clientIdField, commonMetadata, keptMetadata, rowKinds } from "../model/index.ts"
import { parameterLimits } from "../rules/parameters.ts"
import { registrationTables } from "../rules/registration.ts"
import type { RegistrationSeen } from "../rules/registrationFault.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Endpoint } from "../settle/endpoint.ts"

/** A feature as a provider is given it: an extension grant is one by itself. */
export type AnyFeature = Feature | ExtensionGrant

/** A choice of features, as the options of a provider have it. */
export interface Choice {
  readonly features?: ReadonlyArray<AnyFeature> | undefined
  readonly grants?: ReadonlyArray<ExtensionGrant> | undefined
}

/** A choice that leaves nothing to be chosen for it. */
export interface Chosen extends Choice {
  readonly features: ReadonlyArray<AnyFeature>
}

const featureOf = (given: AnyFeature): Feature => ("open" in given ? { name: given.name, extensionGrants: [given] } : given)

/** Adds the features of a provider up. */
export const composed = (
  { features: chosen, grants = [] }: Chosen,
  identityProviders: ReadonlyArray<IdentityProvider> = [],
): Composition => {
  const features = [...chosen, ...grants].map(featureOf)
  const ownGrants = features.flatMap((each) => each.grants ?? [])
  const extensionGrants = features.flatMap((each) => each.extensionGrants ?? [])
  return {
    features,
    grants: ownGrants,
    extensionGrants,
    grantTypes: [
      ...ownGrants.map(({ grantType }) => grantType),
      ...features.flatMap((each) => each.grantTypes ?? []),
      ...extensionGrants.map(({ name }) => name),
    ],
    responseTypes: features.flatMap((each) => each.responseTypes ?? []),
    responseModes: features.flatMap((each) => each.responseModes ?? []),
    clientAuthentication: features.flatMap((each) => each.clientAuthentication ?? []),
    clientResolvers: features.flatMap((each) => each.clientResolvers ?? []),
    grantKeepings: features.flatMap((each) => each.grantKeepings ?? []),
    sessionEndings: features.flatMap((each) => each.sessionEndings ?? []),
    sessionMemories: features.flatMap((each) => each.sessionMemories ?? []),
    confirmations: features.flatMap((each) => each.confirmations ?? []),
    clientMetadata: [
      clientIdField,
      ...commonMetadata,
      ...features.flatMap(({ clientMetadata = [], lifetimes: own = [] }) => [...clientMetadata, ...own]),
    ],
    lifetimes: features.flatMap((each) => each.lifetimes ?? []),
    providerSettings: features.flatMap((each) => each.providerSettings ?? []),
    identityProviders,
  }
}

/** The part of a provider that the metadata of its clients is judged against. */
export type Registering = Required<
  Pick<
    RegistrationSeen,
    | "grantTypes"
    | "policyFaults"
    | "responseTypes"
    | "responseModes"
    | "clientAuthentication"
    | "confirmations"
    | "clientMetadata"
    | "registration"
  >
>

/** Returns what the features of a provider mean for the registration of clients. */
export const registeringAt = (provider: Composition): Registering => {
  const { features, grantTypes, responseTypes, responseModes, extensionGrants, clientAuthentication, confirmations, clientMetadata } =
    provider
  return {
    grantTypes,
    responseTypes,
    responseModes: responseModes.map(({ name }) => name),
    clientAuthentication,
    confirmations,
    policyFaults: new Map(extensionGrants.map(({ name, policyFault }) => [name, policyFault])),
    clientMetadata: new Set(clientMetadata.map(({ name }) => name)),
    registration: features.flatMap(({ registration }) => registration ?? []),
  }
}

/** Every field of client metadata at a provider, the kept ones last: those that decide nothing, and that no feature has. */
export const clientFieldsAt = ({ clientMetadata }: Composition): ReadonlyArray<Field> => {
  const taken = new Set(clientMetadata.map(({ name }) => name))
  return [...clientMetadata, ...keptMetadata.filter(({ name }) => !taken.has(name))]
}

/** Every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsAt = ({ features }: Composition): ReadonlyArray<RowKind> => [...rowKinds, ...features.flatMap(({ rows = [] }) => rows)]

/** Every endpoint of a provider. */
export const endpointsOf = (provider: Composition): ReadonlyArray<Endpoint> =>
  provider.features.flatMap(({ endpoints }) => endpoints?.(provider) ?? [])

/** A rule as the reference lists it. */
export interface RuleEntry {
  readonly id: string
  readonly cites: string
}

/** A table as the reference lists it. */
export interface TableEntry {
  readonly name: string
  readonly rules: ReadonlyArray<RuleEntry>
}

const tablesOfFeature = (
  { tables = [], endpoints, grants = [], extensionGrants = [], clientAuthentication = [], confirmations = [], registration }: Feature,
  provider: Composition,
): ReadonlyArray<RuleTable> => [
  ...tables,
  ...[...clientAuthentication, ...confirmations].flatMap(({ prove }) => prove?.tables ?? []),
  ...confirmations.flatMap(({ foretell }) => foretell?.tables ?? []),
  ...(endpoints?.(provider) ?? []).flatMap((endpoint) => endpoint.tables ?? []),
  ...[...grants, ...extensionGrants].flatMap((grant) => grant.tables),
  ...(registration === undefined ? [] : [registration]),
]

/** A table by all that it says: an operator's module has its own copy of those that its endpoints share with others. */
const contentOf = ({ name, rules }: RuleTable): string => [name, ...rules.map(({ id }) => id)].join(" ")

/** Every table of a provider once, feature by feature, each endpoint's in the order in which a request meets them. */
export const tablesOf = (provider: Composition): ReadonlyArray<RuleTable> => {
  const tables = [parameterLimits, ...provider.features.flatMap((feature) => tablesOfFeature(feature, provider)), ...registrationTables]
  return [...new Map(tables.map((each) => [contentOf(each), each])).values()]
}

const entry = ({ name, rules }: RuleTable): TableEntry => ({ name, rules: rules.map(({ id, cites }) => ({ id, cites })) })

/** Lists every table of the features of a provider, as the reference does. */
export const tableEntriesAt = (provider: Composition): ReadonlyArray<TableEntry> => tablesOf(provider).map(entry)
