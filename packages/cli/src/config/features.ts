import type { PageDesign } from "@postern/adapter-http/pages"
import { cibaDesigns } from "@postern/adapter-http/ciba"
import {
  type AnyFeature,
  type MetadataDocumentOptions,
  type RegistrationOptions,
  type RegistrationPolicy,
  ciba,
  defaultFeatures,
  defaultProfile,
  enabled,
  idJag,
  metadataDocuments,
  registration,
  sessionManagement,
  upstreamLogout,
} from "@postern/core"
import { defaultLifetimes, lifetimesFrom, withoutUndefined } from "@postern/core/model"
import { jwtBearer, tokenExchange } from "@postern/core/grants"
import { cibaOptions } from "./ciba.ts"
import { trustedIssuer } from "./grants.ts"
import { idJagOptions } from "./idJag.ts"
import { ownModule } from "./modules.ts"
import type { OptionalSection } from "./optional.ts"
import type { ConfigFile } from "./schema.ts"

/** Reads a secret of the configuration; returns undefined if it cannot be read. */
type TextOf = Parameters<typeof cibaOptions>[1]

/** The sections of a configuration that determine its features. */
export type Declaring = { readonly [Name in OptionalSection | "grants" | "profile" | "lifetimes"]?: ConfigFile[Name] | undefined }

type DeclaredPolicy = NonNullable<NonNullable<ConfigFile["registration"]>["policy"]>

/** Converts the registration policy of a configuration. */
const registrationPolicy = ({ redirect_hosts, scope, grant_types, metadata }: DeclaredPolicy): RegistrationPolicy =>
  // A policy is stored as JSON, which has no undefined values.
  withoutUndefined({ redirectHosts: redirect_hosts, scope, grantTypes: grant_types, metadata }) as RegistrationPolicy

/** Returns the registration settings of a configuration, or undefined if dynamic registration is disabled. */
export const registrationOptions = ({ registration: declared, lifetimes }: Declaring): RegistrationOptions | undefined =>
  declared && {
    open: declared.open,
    policy: registrationPolicy(declared.policy ?? {}),
    softwareStatements: declared.software_statements?.map(({ issuer, jwks, jwks_uri }) => ({ issuer, jwks, jwksUri: jwks_uri })),
    softwareStatementRequired: declared.require_software_statement,
    unusedLifetime: declared.unused_lifetime,
    mostUnused: declared.most_unused,
    lifetimes: lifetimesFrom(lifetimes ?? {}, defaultLifetimes),
  }

/** Reports whether client ID metadata documents are enabled. Without a section, they are if the profile enables them. */
export const documentsServed = ({ metadata_documents: declared, profile = defaultProfile.name }: Declaring): boolean =>
  declared === undefined ? enabled.get(profile)?.includes("metadata-documents") === true : declared.enabled !== false

/** Returns the settings of client ID metadata documents, or undefined if they are disabled. */
export const documentOptions = (configured: Declaring): MetadataDocumentOptions | undefined => {
  if (!documentsServed(configured)) return undefined
  const { metadata_documents: declared, lifetimes } = configured
  const {
    policies = [],
    loopback_localhost: loopbackLocalhost,
    most_documents: mostDocuments,
    stale_lifetime: staleLifetime,
  } = declared ?? {}
  return {
    policies: policies.map(({ hosts, allow, verified, development, ...limits }) => ({
      ...registrationPolicy(limits),
      hosts,
      allow,
      verified,
      // A rule of the configuration refuses a policy with both.
      development: verified === true ? undefined : development,
    })),
    loopbackLocalhost,
    mostDocuments,
    staleLifetime,
    lifetimes: lifetimesFrom(lifetimes ?? {}, defaultLifetimes),
  }
}

/** The feature that each optional section enables; undefined if it does not. */
const enabledBy: Readonly<Record<OptionalSection, (configured: Declaring, textOf: TextOf) => AnyFeature | undefined>> = {
  registration: (configured) => ifGiven(registrationOptions(configured), registration),
  ciba: ({ ciba: asking }, textOf) => ifGiven(asking, (given) => ciba(cibaOptions(given, textOf))),
  metadata_documents: (configured) => ifGiven(documentOptions(configured), metadataDocuments),
  session_management: ({ session_management: enabled }) => (enabled === true ? sessionManagement() : undefined),
  upstream_logout: ({ upstream_logout: enabled }) => (enabled === true ? upstreamLogout() : undefined),
}

const ifGiven = <A, B>(given: A | undefined, make: (given: A) => B): B | undefined => (given === undefined ? undefined : make(given))

/** Returns the features that a configuration adds to the default ones, including registration, extension grants, and those of modules. */
export const addedFeatures = (
  configured: Declaring,
  absolute: (path: string) => string = (path) => path,
  textOf: TextOf = () => undefined,
): ReadonlyArray<AnyFeature> => {
  const declared = configured.grants ?? {}
  const issuers = (declared.trusted_issuers ?? []).map(trustedIssuer)
  return [
    ...Object.values(enabledBy).flatMap((feature) => feature(configured, textOf) ?? []),
    ...(declared.token_exchange === true ? [tokenExchange({ issuers })] : []),
    ...(declared.jwt_bearer === true ? [jwtBearer({ issuers })] : []),
    ...(declared.id_jag === undefined ? [] : [idJag(idJagOptions(declared.id_jag))]),
    ...(declared.modules ?? []).flatMap((path) => ownModule(absolute(path)).features ?? []),
  ]
}

/** Returns the page designs of the features that a configuration adds. */
export const pageDesigns = ({ grants, ciba: asking }: Declaring, absolute: (path: string) => string): ReadonlyArray<PageDesign> => [
  ...(asking === undefined ? [] : cibaDesigns),
  ...(grants?.modules ?? []).flatMap((path) => ownModule(absolute(path)).pages ?? []),
]

/**
 * Returns the features of a configuration without the options that core refuses if they are invalid. The rules use them: which fields,
 * grants and pages there are doesn't depend on these options.
 */
export const plainFeatures = (configured: Declaring, absolute?: (path: string) => string): ReadonlyArray<AnyFeature> => {
  const { grants, registration: registering, ciba: asking, metadata_documents: documents, ...others } = configured
  const { id_jag: crossing, trusted_issuers: _trusted, ...granting } = grants ?? {}
  const isIssued = crossing?.authorization_servers !== undefined
  const isAccepted = crossing?.identity_providers !== undefined
  return featuresOf(
    {
      ...others,
      grants: {
        ...granting,
        ...(crossing && { id_jag: { ...(isIssued && { authorization_servers: [] }), ...(isAccepted && { identity_providers: [] }) } }),
      },
      registration: registering && {},
      ciba: asking && {},
      metadata_documents: documents && { enabled: documents.enabled ?? true },
    },
    absolute,
  )
}

/** Returns what core refuses in the options of a configuration's features: for each section, the faults as text. */
export const refusedOptions = (
  configured: Declaring,
): ReadonlyArray<readonly [section: ReadonlyArray<string>, faults: ReadonlyArray<string>]> => {
  const { grants = {}, ciba: asking } = configured
  const issuers = (grants.trusted_issuers ?? []).map(trustedIssuer)
  const { id_jag: crossing } = grants
  return [
    [["registration"], refusals(() => ifGiven(registrationOptions(configured), registration))],
    [["ciba"], refusals(() => ifGiven(asking, (given) => ciba(cibaOptions(given, () => undefined))))],
    [["metadata_documents"], refusals(() => ifGiven(documentOptions(configured), metadataDocuments))],
    [["grants"], refusals(() => jwtBearer({ issuers }))],
    [["grants", "id_jag"], refusals(() => ifGiven(crossing, (given) => idJag(idJagOptions(given))))],
  ]
}

/** Returns the lines of the error that a function of core throws for invalid options, without the name of the function. */
const refusals = (build: () => unknown): ReadonlyArray<string> => {
  try {
    build()
    return []
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return error.message.replace(/^\w+: (?:\n- )?/, "").split("\n- ")
  }
}

/** Returns all features of a configuration. */
export const featuresOf = (configured: Declaring, absolute?: (path: string) => string, textOf?: TextOf): ReadonlyArray<AnyFeature> => [
  ...defaultFeatures,
  ...addedFeatures(configured, absolute, textOf),
]

/** Sections that enable every optional built-in feature except the grants. */
export const everySection: Readonly<Required<Pick<Declaring, OptionalSection>>> = {
  registration: {},
  ciba: {},
  metadata_documents: {},
  session_management: true,
  upstream_logout: true,
}

/** Picks the sections of a configuration that enable optional features. */
export const sectionsIn = (configured: Declaring): Pick<Declaring, OptionalSection> =>
  // Each member keeps its name and its value.
  Object.fromEntries(Object.entries(configured).filter(([name]) => name in everySection)) as Pick<Declaring, OptionalSection>

/** Every built-in feature. */
export const everyFeature: ReadonlyArray<AnyFeature> = featuresOf({
  ...everySection,
  grants: { token_exchange: true, jwt_bearer: true, id_jag: { authorization_servers: [], identity_providers: [] } },
})

/** Returns the features relevant to the schema of an unvalidated file. Modules that cannot be loaded are skipped. */
export const featuresStated = (file: unknown, absolute: (path: string) => string): ReadonlyArray<AnyFeature> => {
  const grants: unknown = memberOf(file, "grants")
  const modules: unknown = memberOf(grants, "modules")
  const stated = { modules: Array.isArray(modules) ? modules.filter((path) => typeof path === "string") : [] }
  return featuresOf({ grants: stated, ciba: memberOf(file, "ciba") === undefined ? undefined : {} }, absolute)
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
