import * as Schema from "effect/Schema"
import type { ExtensionGrant } from "../extension/index.ts"
import type { Composition, DeliveryMeans, Feature } from "../features/feature.ts"
import { jwtBearer } from "../features/jwt-bearer/index.ts"
import { tokenExchange } from "../features/token-exchange/index.ts"
import {
  type ClientMetadata,
  type Field,
  type IdentityProvider,
  type Instant,
  type RowKind,
  clientIdField,
  commonMetadata,
  keptMetadata,
  rowKinds,
} from "../model/index.ts"
import { fieldsOf } from "../model/member.ts"
import { parameterLimits } from "../rules/parameters.ts"
import { registrationTables } from "../rules/registration.ts"
import type { RegistrationSeen } from "../rules/registrationFault.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import type { DeliveryHandler } from "../settle/outbox.ts"
import { defaultFeatures } from "./features.ts"

/** A feature as a provider is given it: an extension grant is one by itself. */
export type AnyFeature = Feature | ExtensionGrant

/** A choice of features, as the options of a provider have it. */
export interface Choice {
  readonly features?: ReadonlyArray<AnyFeature> | undefined
  readonly grants?: ReadonlyArray<ExtensionGrant> | undefined
}

const featureOf = (given: AnyFeature): Feature => ("open" in given ? { name: given.name, extensionGrants: [given] } : given)

/** Adds the features of a provider up. */
export const compose = (
  { features: chosen = defaultFeatures, grants = [] }: Choice = {},
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
    sessionEndings: features.flatMap((each) => each.sessionEndings ?? []),
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
    "grantTypes" | "policyFaults" | "responseTypes" | "responseModes" | "clientAuthentication" | "clientMetadata" | "registration"
  >
>

/** Returns what the features of a provider mean for the registration of clients. */
export const registering = (choice: Choice): Registering => {
  const { features, grantTypes, responseTypes, responseModes, extensionGrants, clientAuthentication, clientMetadata } = compose(choice)
  return {
    grantTypes,
    responseTypes,
    responseModes: responseModes.map(({ name }) => name),
    clientAuthentication,
    policyFaults: new Map(extensionGrants.map(({ name, policyFault }) => [name, policyFault])),
    clientMetadata: new Set(clientMetadata.map(({ name }) => name)),
    registration: features.flatMap(({ registration }) => registration ?? []),
  }
}

/** A schema of client metadata. */
export interface ClientMetadataSchema extends Schema.Codec<ClientMetadata> {
  /** The schemas of its fields, by name. */
  readonly fields: Readonly<Record<string, Schema.Top>>
}

/** Every field of client metadata at a provider, the kept ones last: those that decide nothing, and that no feature has. */
export const clientFieldsOf = (choice: Choice): ReadonlyArray<Field> => {
  const { clientMetadata } = compose(choice)
  const taken = new Set(clientMetadata.map(({ name }) => name))
  return [...clientMetadata, ...keptMetadata.filter(({ name }) => !taken.has(name))]
}

/** The schema of client metadata at a provider: every field may be left out but the identifier. */
export const clientMetadataSchema = (choice: Choice): ClientMetadataSchema =>
  // The fields of features are checked against `ClientMetadata` where they are made.
  Schema.Struct({ ...fieldsOf(clientFieldsOf(choice)), client_id: clientIdField.schema }) as unknown as ClientMetadataSchema

/** Every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsOf = (choice: Choice): ReadonlyArray<RowKind> => [
  ...rowKinds,
  ...compose(choice).features.flatMap(({ rows = [] }) => rows),
]

/** The handlers of the messages that a provider's features write, for `startDelivering`. */
export const deliveriesOf = (
  choice: Choice,
  means: Omit<DeliveryMeans, "signal" | "now"> & { readonly now: () => Instant },
): Readonly<Record<string, DeliveryHandler>> =>
  Object.fromEntries(
    compose(choice)
      .features.flatMap(({ deliveries = {} }) => Object.entries(deliveries))
      .map(([kind, deliver]) => [kind, async (message, signal) => deliver(message, { ...means, signal, now: means.now() })] as const),
  )

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
export const ruleTablesOf = (choice: Choice): ReadonlyArray<TableEntry> => tablesOf(compose(choice)).map(entry)

/** Every table of the default features and of the extension grants that core ships: the source of the rule reference. */
export const ruleTables: ReadonlyArray<TableEntry> = tablesOf(compose({ grants: [tokenExchange(), jwtBearer({ issuers: [] })] })).map(entry)
