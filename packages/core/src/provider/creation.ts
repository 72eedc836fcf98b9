import type { Composition } from "../features/feature.ts"
import { endpointsOf, onceFor, rowKindsAt, tablesOf } from "./composition.ts"
import { type Demand, certificateBound, keyBound, messageOf, pushedAlone, repeats } from "../model/index.ts"
import { kindOf, nameFault, refuseFaults } from "../model/members.ts"
import type { CommonPorts, PlainPorts, ProviderOptions } from "./options.ts"
import { settingFaults } from "./settingFaults.ts"
import { portFaults } from "./portFaults.ts"
import type { RuleTable } from "../rules/rule.ts"
import { defaultProfile, profileNamed } from "../profiles/index.ts"
import { basePathOf } from "../wire/index.ts"

/** Throws one `TypeError` that lists every missing or invalid port and setting, in addition to faults that were found before. */
export const refuseOptions = (
  options: ProviderOptions & CommonPorts & Partial<PlainPorts>,
  provider: Composition,
  found: ReadonlyArray<string> = [],
): void => {
  // A caller without types may pass anything.
  const given = options as unknown as Readonly<Record<string, unknown>>
  const features = featureFaults(() => faultsAt(options, provider))
  refuseFaults("createProvider", found, settingFaults(options), portFaults(given), features)
}

/** Returns the faults of a provider's features. A feature that throws, because its parts have the wrong types, is a fault too. */
const featureFaults = (judge: () => ReadonlyArray<string>): ReadonlyArray<string> => {
  try {
    return judge()
  } catch (cause) {
    return [`features: one of them throws: ${messageOf(cause)}`]
  }
}

/** The rules of a table, each by its id and paragraph. */
const saidBy = onceFor(({ rules }: RuleTable) => rules.map(({ id, cites }) => [`${id} ${cites}`, id] as const))

/** The part of a provider's options against which its features are validated. */
export type Creating = Pick<ProviderOptions, "settings"> &
  Partial<Pick<ProviderOptions, "issuer" | "interactions" | "profile" | "resources" | "rulesOff">> &
  Partial<PlainPorts & CommonPorts>

/** Returns the faults of a composition by itself: duplicate names. */
export const namedTwice = (provider: Composition, tables: ReadonlyArray<RuleTable>): ReadonlyArray<string> => {
  const endpoints = endpointsOf(provider)
  const kinds = rowKindsAt(provider)
  // Tables may share a rule, which has the same id and paragraph in all of them.
  const rules = new Map(tables.flatMap(saidBy))
  const named: ReadonlyArray<readonly [kind: string, names: ReadonlyArray<string>]> = [
    ["grant", provider.grantTypes],
    ["feature", provider.features.map(({ name }) => name)],
    ["endpoint", endpoints.map(({ name }) => name)],
    ["way of client authentication", provider.clientAuthentication.map(({ method }) => method)],
    ["path", endpoints.map(({ path }) => path)],
    ["member of client metadata", provider.clientMetadata.map(({ name }) => name)],
    ["parameter of authorization requests", provider.authorizationParameters.map(({ name }) => name)],
    ["table of rows", kinds.map(({ name }) => name)],
    ["event of rows", kinds.flatMap(({ events }) => Object.keys(events))],
    ["page", provider.pages.map(({ name }) => name)],
    ["kind of message", provider.features.flatMap(({ deliveries = {} }) => Object.keys(deliveries))],
    ["setting", provider.providerSettings.map(({ name }) => name)],
    ["rule or table", [...tables.map(({ name }) => name), ...rules.values()]],
  ]
  const taken = named.flatMap(([kind, names]) => {
    const [at] = repeats(names)
    return at === undefined ? [] : [`features: there is ${/^[aeio]/.test(kind) ? "an" : "a"} ${kind} named ${names[at]} already`]
  })
  return taken
}

/**
 * Returns faults for rules and tables that are named like those of registration but are none. A provider without dynamic registration does
 * not contain the registration rules, so it cannot compare names and reserves all of these.
 */
const namedLikeRegistration = (provider: Composition): ReadonlyArray<string> => {
  // The feature that registers clients contains the rules, so they are compared with all others.
  if (provider.features.some(({ name }) => name === "registration")) return []
  const own = new Set<unknown>(provider.features.map(({ registration }) => registration))
  return tablesOf(provider)
    .filter((each) => !own.has(each))
    .flatMap(({ name, rules }) => [name, ...rules.map(({ id }) => id)])
    .filter((name) => /^registration(?:$|[./])/.test(name))
    .map((name) => `features: ${name} is named like a rule or table of registration: name it after its feature instead`)
}

/** The ids of all rules of a provider, in the order of its tables. */
const ruleIds = onceFor((provider) => tablesOf(provider).flatMap(({ rules }) => rules.map(({ id }) => id)))

/** Returns faults for unknown rules in `rulesOff`. Registration rules may be absent from the provider. */
const strangers = ({ rulesOff = [] }: Creating, provider: Composition): ReadonlyArray<string> =>
  rulesOff.flatMap((id, at) =>
    id.startsWith("registration.") || ruleIds(provider).includes(id)
      ? []
      : [nameFault(`rulesOff[${at}]`, id, ruleIds(provider), "rule of the provider")],
  )

const namedTwiceHere = onceFor((provider): ReadonlyArray<string> => [
  ...namedTwice(provider, tablesOf(provider)),
  ...namedLikeRegistration(provider),
])

/** Returns the faults of a provider's features, as text. Names must be unique, because trails and discovery identify things by name. */
export const faultsAt = (options: Creating, provider: Composition, taken = namedTwiceHere(provider)): ReadonlyArray<string> => {
  const endpoints = endpointsOf(provider)
  const known = new Map(provider.providerSettings.map((each) => [each.name, each]))
  const settings = Object.entries(options.settings ?? {}).flatMap(([name, value]) => {
    const setting = known.get(name)
    if (setting === undefined) return [nameFault(`settings.${name}`, name, [...known.keys()], "setting of the provider's features")]
    return setting.values.fits(value) ? [] : [`settings.${name}: is ${kindOf(value)} that does not fit: ${setting.description}`]
  })
  const rows = provider.features.flatMap(({ name: feature, rows: own = [] }) =>
    own.flatMap(({ name }) => {
      if (!/^[a-z0-9_]{1,63}$/.test(name) || !name.startsWith(`${feature.replaceAll("-", "_")}_`))
        return [`features: the table ${name} of ${feature} is not named ${feature.replaceAll("-", "_")}_…, in lower case`]
      return options.tokens?.keeps?.(name) === false ? [`tokens: keeps no table ${name}: give the store rowKindsOf the same features`] : []
    }),
  )
  const pages = provider.features.flatMap(({ name: feature, pages: own = [] }) =>
    own.flatMap(({ name }) => {
      if (!/^[a-z][a-z0-9-]{0,49}$/.test(name) || !(name === feature || name.startsWith(`${feature}-`)))
        return [`features: the page ${name} of ${feature} is not named ${feature} or ${feature}-…, in lower case`]
      return options.pages?.draws?.(name) === false
        ? [`pages: cannot draw the page ${name} of the feature ${feature}: give the port its design`]
        : []
    }),
  )
  const unproved = provider.clientAuthentication.flatMap(({ method, prove }) =>
    prove === undefined && method !== "none"
      ? [`features: the way of client authentication ${method} has no prove: it would let everybody in (RFC 6749 §2.3)`]
      : [],
  )
  const base = basePathOf(String(options.issuer ?? ""))
  const own = Object.entries(options.interactions ?? {}).flatMap(([name, path]) =>
    endpoints.some((each) => base + each.path === path) ? [`interactions.${name}: ${path} is a path of the provider's own`] : [],
  )
  const routed = Object.values(options.interactions ?? {}).some((path) => path !== undefined)
  const unowned =
    routed && provider.features.every(({ ownPages }) => ownPages === undefined)
      ? ["interactions: no feature of the provider has the way back from pages of your own: give it `interaction`"]
      : []
  const messages = provider.features.flatMap(({ name, deliveries = {} }) =>
    Object.keys(deliveries).flatMap((kind) =>
      kind.startsWith(`${name}.`) ? [] : [`features: the kind of message ${kind} of ${name} is not named ${name}.…`],
    ),
  )
  // An invalid setting is not validated any further.
  const said =
    settings.length > 0
      ? []
      : provider.features.flatMap(
          ({ settingFaults: judge }) =>
            // A feature without types may return undefined if there are no faults.
            judge?.({ members: options.settings ?? {} }, { ...provider, issuer: options.issuer, resources: options.resources ?? [] }) ?? [],
        )
  return [
    ...taken,
    ...settings,
    ...said,
    ...rows,
    ...messages,
    ...pages,
    ...own,
    ...unowned,
    ...unproved,
    ...profileFaults(options, provider),
    ...strangers(options, provider),
  ]
}

/**
 * Returns the requirements of a provider's default profile that none of its features meets. Otherwise, each of its clients would be refused
 * or served by weaker rules.
 */
const profileFaults = ({ profile: named = defaultProfile.name }: Creating, provider: Composition): ReadonlyArray<string> => {
  const profile = profileNamed(named)
  if (profile === undefined) return []
  const { pushing, senderConstraint, responses } = profile.parameters
  const lacks = ([, member]: Demand) => provider.clientMetadata.every(({ name }) => name !== member)
  const bindings = senderConstraint === "certificate" ? [certificateBound] : [keyBound, certificateBound]
  const unmet: ReadonlyArray<readonly [isUnmet: boolean, what: string, feature: string]> = [
    [pushing === "all" && lacks(pushedAlone), "pushed authorization requests", pushedAlone[0]],
    [senderConstraint !== "by-client" && bindings.every(lacks), "bound tokens", bindings.map(([feature]) => feature).join(" or ")],
    [responses === "jwt" && provider.responseModes.every(({ sign }) => sign === undefined), "responses as JWTs", "jarm"],
  ]
  return unmet.flatMap(([isUnmet, what, feature]) =>
    isUnmet ? [`profile: ${named} demands ${what} of every client: the provider needs the feature ${feature}`] : [],
  )
}
