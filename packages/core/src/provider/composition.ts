import type { ExtensionGrant } from "../extension/index.ts"
import type { Composition, Feature, Joined } from "../features/feature.ts"
import { joinedMembers } from "../features/kinds.ts"
import { described } from "../features/descriptions.ts"
import { registrationOf } from "../features/registrations.ts"
import { type Field, type IdentityProvider, type RowKind, clientIdField, commonMetadata, keptMetadata, rowKinds } from "../model/index.ts"
import { kindFault, refuseFaults } from "../model/members.ts"
import type { ClientResolver } from "../ports/index.ts"
import { parameterLimits } from "../rules/parameters.ts"
import { registrationTables } from "../rules/registration.ts"
import type { RegistrationSeen, RegistrationTable } from "../rules/registrationFault.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Endpoint } from "../settle/endpoint.ts"

/** A feature as given to a provider. An extension grant is a feature by itself. */
export type AnyFeature = Feature | ExtensionGrant

/** A choice of features, as the options of a provider have it. */
export interface Choice {
  readonly features?: ReadonlyArray<AnyFeature> | undefined
  readonly grants?: ReadonlyArray<ExtensionGrant> | undefined
}

/** A choice with explicit features. */
export interface Chosen extends Choice {
  readonly features: ReadonlyArray<AnyFeature>
}

/** Returns a choice of features. Throws a `TypeError` for what is none, and for lists of other things. */
export const chosen = <A extends Choice>(called: string, choice: A): A => {
  refuseFaults(called, kindFault("options", choice, "object?"))
  // The composition of an absent choice is that of all default features.
  const { features, grants }: Choice = (choice as A | undefined) ?? {}
  refuseFaults(called, kindFault("features", features, "objects?"), kindFault("grants", grants, "objects?"))
  return choice
}

/** Memoizes a function of a composition or another object, which several providers may share. */
export const onceFor = <A, Of extends object = Composition>(make: (of: Of) => A): ((of: Of) => A) => {
  const made = new WeakMap<Of, { readonly value: A }>()
  return (of) => {
    const before = made.get(of)
    if (before !== undefined) return before.value
    const value = make(of)
    made.set(of, { value })
    return value
  }
}

const featureOf = (given: AnyFeature): Feature => ("open" in given ? { name: given.name, extensionGrants: [given] } : given)

/** Throws if extension grants are given without the feature that runs them. */
const unasked = ({ name }: ExtensionGrant): never => {
  throw new TypeError(`grant ${name}: an extension grant needs the feature extensionGrants; add it to the features`)
}

/** Combines the features of a provider. */
export const composed = (
  { features: chosen, grants = [] }: Chosen,
  identityProviders: ReadonlyArray<IdentityProvider> = [],
): Composition => {
  const features = [...chosen, ...grants].map(featureOf)
  const joined = Object.fromEntries(
    joinedMembers.map((name) => [name, features.flatMap((each): ReadonlyArray<unknown> => each[name] ?? [])]),
    // Each list has the type of its member, which the type of entries cannot express.
  ) as unknown as Joined
  const grantNames = (isShared: boolean): ReadonlyArray<string> => [
    ...joined.grants.flatMap(({ grantType, takes }) => ((takes !== undefined) === isShared ? [grantType] : [])),
    ...(isShared ? [] : joined.grantTypes),
    ...joined.extensionGrants.flatMap(({ name, takes }) => ((takes !== undefined) === isShared ? [name] : [])),
  ]
  const whole = grantNames(false)
  const clientResolvers: Array<ClientResolver> = []
  const provider: Composition = {
    ...joined,
    features,
    clientResolvers,
    defineExtension: features.find((each) => each.defineExtension !== undefined)?.defineExtension ?? unasked,
    // Several grants may share a type if each accepts only some requests; two that accept any are a fault.
    grantTypes: [...whole, ...new Set(grantNames(true).filter((name) => !whole.includes(name)))],
    clientMetadata: [
      clientIdField,
      ...commonMetadata,
      ...features.flatMap(({ clientMetadata = [], lifetimes: own = [] }) => [...clientMetadata, ...own]),
    ],
    identityProviders,
  }
  clientResolvers.push(...features.flatMap((each) => each.clientResolvers?.(provider) ?? []))
  return provider
}

const nobodyElse: ReadonlyArray<IdentityProvider> = Object.freeze([])

const ofFrozen = onceFor((features: Chosen["features"]) =>
  onceFor((identityProviders: ReadonlyArray<IdentityProvider>) => composed({ features }, identityProviders)),
)

/** Combines the features of a provider. Frozen lists, such as the default features, are combined only once for any number of providers. */
export const compositionOf = (chosen: Chosen, identityProviders = nobodyElse): Composition => {
  const others = identityProviders.length === 0 ? nobodyElse : identityProviders
  const { features, grants } = chosen
  return grants === undefined && Object.isFrozen(features) && Object.isFrozen(others)
    ? ofFrozen(features)(others)
    : composed(chosen, others)
}

/** The part of a provider against which client metadata is validated. */
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

/** Returns the part of a provider that client registration depends on. */
export const registeringAt = (provider: Composition): Registering => {
  const { features, grantTypes, responseTypes, responseModes, extensionGrants, clientAuthentication, confirmations, clientMetadata } =
    provider
  return {
    grantTypes,
    responseTypes,
    responseModes: responseModes.map(({ name }) => name),
    clientAuthentication,
    confirmations,
    policyFaults: new Map(
      extensionGrants.flatMap(({ name, policyFault, takes }) => (takes === undefined ? [[name, policyFault] as const] : [])),
    ),
    clientMetadata: new Set(clientMetadata.map(({ name }) => name)),
    registration: features.flatMap((feature) => registrationOf(feature) ?? []),
  }
}

/** Returns every field of client metadata at a provider. The stored ones without influence, which no feature declares, come last. */
export const clientFieldsAt = ({ clientMetadata }: Composition): ReadonlyArray<Field> => {
  const taken = new Set(clientMetadata.map(({ name }) => name))
  return [...clientMetadata.map(described), ...keptMetadata.filter(({ name }) => !taken.has(name))]
}

/** Returns every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsAt = onceFor(({ rows }): ReadonlyArray<RowKind> => [...rowKinds, ...rows])

/** Returns every endpoint of a provider. */
export const endpointsOf = onceFor((provider): ReadonlyArray<Endpoint> =>
  provider.features.flatMap(({ endpoints }) => endpoints?.(provider) ?? []),
)

/** A rule, as listed in the reference. */
export interface RuleEntry {
  readonly id: string
  readonly cites: string
}

/** A rule table, as listed in the reference. */
export interface TableEntry {
  readonly name: string
  readonly rules: ReadonlyArray<RuleEntry>
}

const tablesOfFeature = (
  { tables = [], endpoints, grants = [], extensionGrants = [], clientAuthentication = [], confirmations = [] }: Feature,
  provider: Composition,
  registration: RegistrationTable | undefined,
): ReadonlyArray<RuleTable> => [
  ...tables,
  ...[...clientAuthentication, ...confirmations].flatMap(({ prove }) => prove?.tables ?? []),
  ...confirmations.flatMap(({ foretell }) => foretell?.tables ?? []),
  ...(endpoints?.(provider) ?? []).flatMap((endpoint) => endpoint.tables ?? []),
  ...[...grants, ...extensionGrants].flatMap((grant) => grant.tables),
  ...(registration === undefined ? [] : [registration]),
]

/** The content of a table. An operator's module has its own copies of tables that its endpoints share with others. */
const contentOf = onceFor(({ name, rules }: RuleTable) => [name, ...rules.map(({ id }) => id)].join(" "))

/** Removes tables with the same content as an earlier one. */
const once = (tables: ReadonlyArray<RuleTable>): ReadonlyArray<RuleTable> => [
  ...new Map(tables.map((each) => [contentOf(each), each])).values(),
]

/**
 * Returns the distinct tables of a provider, feature by feature, without the registration rules that are kept apart from their features.
 */
export const tablesOf = onceFor((provider): ReadonlyArray<RuleTable> =>
  once([
    parameterLimits,
    ...provider.features.flatMap((feature) =>
      tablesOfFeature(feature, provider, typeof feature.registration === "string" ? undefined : feature.registration),
    ),
  ]),
)

/** Returns every distinct table of a provider, feature by feature. The tables of each endpoint are in the order of evaluation. */
export const allTablesOf = (provider: Composition): ReadonlyArray<RuleTable> =>
  once([
    parameterLimits,
    ...provider.features.flatMap((feature) => tablesOfFeature(feature, provider, registrationOf(feature))),
    ...registrationTables,
  ])

const entry = ({ name, rules }: RuleTable): TableEntry => ({ name, rules: rules.map(({ id, cites }) => ({ id, cites })) })

/** Lists every rule table of the features of a provider, as in the reference. */
export const tableEntriesAt = (provider: Composition): ReadonlyArray<TableEntry> => allTablesOf(provider).map(entry)
