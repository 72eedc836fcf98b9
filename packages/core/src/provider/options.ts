import {
  type AuthorizationParameters,
  type Catalog,
  type DefaultAcr,
  type IdentityProvider,
  type IdentityScope,
  type InteractionRoutes,
  type Json,
  type Resource,
  type Secret,
  type Settings,
  catalog,
  defaultAcr,
  defaultInteractionLifetime,
  defaultSessionLifetime,
  repeats,
  scopeFaults,
  standardScopes,
} from "../model/index.ts"
import { defaultProfile, profileNamed, profiles } from "../profiles/index.ts"
import type { ExtensionGrant } from "../extension/index.ts"
import type { Composition, Feature } from "../features/feature.ts"
import { normalIssuer } from "../wire/issuer.ts"
import { onceFor } from "./composition.ts"
import type {
  AuditPort,
  AuthenticatorPort,
  ClientStorePort,
  DigestPort,
  EntropyPort,
  IdentityProvidersPort,
  JwtsPort,
  LimiterPort,
  OutboundPort,
  OutboxPort,
  PagesPort,
  RecorderPort,
  ReportPort,
  SignerPort,
  TimerPort,
  TokenStorePort,
  TrailPort,
} from "../ports/index.ts"

/** Settings of a provider. */
export interface ProviderOptions {
  /** The issuer identifier: an https URL without query or fragment, exactly as clients compare it (RFC 8414 §2). */
  readonly issuer: string
  /** Identity scopes in addition to the standard ones; one with the same name replaces the standard one. */
  readonly scopes?: ReadonlyArray<IdentityScope> | undefined
  /** Protected resources and the scopes they own. */
  readonly resources?: ReadonlyArray<Resource> | undefined
  /** Seconds for which a sign-in lasts after its last use; 36000 by default. */
  readonly sessionLifetime?: number | undefined
  /** Seconds for which a request waits for a person; 900 by default. */
  readonly interactionLifetime?: number | undefined
  /**
   * Number of processes that form one server; 1 by default. Each has an equal share of the slots for outbound requests, and for requests
   * that wait for the result of earlier password guesses.
   */
  readonly processes?: number | undefined
  /**
   * Your own pages for sign-in, consent and devices, which replace the built-in ones. They are paths of the issuer's origin, and use
   * `provider.interaction` and `provider.resume`. Each is optional.
   */
  readonly interactions?: InteractionRoutes | undefined
  /** Other OpenID Providers at which people may sign in, through the port `identityProviders`. */
  readonly upstream?: ReadonlyArray<IdentityProvider> | undefined
  /**
   * The `acr` of sign-ins for which the authenticator or the other provider states none: `urn:postern:password` and `urn:postern:upstream`
   * by default. Discovery lists them.
   */
  readonly acr?: { readonly [Kind in keyof DefaultAcr]?: string | undefined } | undefined
  /**
   * Other authentication contexts that the authenticator or other providers can satisfy, from weakest to strongest. Discovery lists them.
   * If a session is below the context that a client requests, the person must sign in again (RFC 9470 §5).
   */
  readonly acrValues?: ReadonlyArray<string> | undefined
  /** Tenants with a page theme. Pages do not show any other tenant from `acr_values=tenant:NAME`. By default, any tenant is shown. */
  readonly tenants?: ReadonlyArray<string> | undefined
  /** The salt of pairwise subjects: at least 32 random characters that never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret | undefined
  /**
   * The key of the hashes that represent accounts in audit events and in the cookies of known devices: at least 32 random characters, the
   * same after a restart and on every machine. Each provider generates its own by default.
   */
  readonly accountKey?: Secret | undefined
  /**
   * The features of the provider; `defaultFeatures` by default. An omitted feature is completely absent, including its paths, discovery
   * members and client metadata.
   */
  readonly features?: ReadonlyArray<Feature | ExtensionGrant> | undefined
  /**
   * The time limit of each port call, in milliseconds; 20,000 by default. If a port has not answered by then, the request fails as if the
   * port had failed: with 503 and nothing consumed, or, for a commit, with an unknown outcome. Pages have a `timeout` of their own.
   */
  readonly portTimeout?: number | undefined
  /** Settings of features, by name, such as `require_…`. Each has a default. */
  readonly settings?: Readonly<Record<string, Json>> | undefined
  /**
   * Extension grants in addition to the features (RFC 6749 §4.5), created with `extensionGrant`. A client may use one if its name is among
   * the client's `grant_types`.
   */
  readonly grants?: ReadonlyArray<ExtensionGrant> | undefined
  /** The profile of clients whose metadata names none, such as `oauth2.1`; `default` by default. */
  readonly profile?: string | undefined
  /** Ids of rules to disable, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlyArray<string> | undefined
}

/** The ports that Effect services may replace. */
export interface PlainPorts {
  /** Finds clients and checks their secrets. */
  readonly clients: ClientStorePort
  /** Stores all mutable state. */
  readonly tokens: TokenStorePort
  /** Signs tokens and publishes keys. */
  readonly signer: SignerPort
  /** Authenticates the people who may sign in. */
  readonly authenticator: AuthenticatorPort
}

/** The ports with defaults, or without an Effect form. */
export interface CommonPorts {
  /** Renders page models as HTML. */
  readonly pages: PagesPort
  /** Signs people in at other providers; there are none by default. */
  readonly identityProviders?: IdentityProvidersPort | undefined
  /** Fetches documents that clients publish; nothing is fetched by default. */
  readonly outbound?: OutboundPort | undefined
  /** Called with messages that were written; by default, they wait for the next poll of the outbox. */
  readonly outbox?: OutboxPort | undefined
  /** The implementation of jose by default. */
  readonly jwts?: JwtsPort | undefined
  /** The implementation of WebCrypto by default. */
  readonly entropy?: EntropyPort | undefined
  /** The implementation of WebCrypto by default. */
  readonly digest?: DigestPort | undefined
  /** Dropped when not given. */
  readonly trails?: TrailPort | undefined
  /** Dropped when not given. */
  readonly audit?: AuditPort | undefined
  /** Receives each failure of a port, and each bug; written to `console.error` by default. */
  readonly report?: ReportPort | undefined
  /** Limits request rates; there are no limits by default. */
  readonly limiter?: LimiterPort | undefined
  /** Records whole requests with the answers of all ports; nothing is recorded by default. */
  readonly recorder?: RecorderPort | undefined
  /** Starts the timers for the time limits of pages and ports, and for requests that wait for another one; the platform's by default. */
  readonly timer?: TimerPort | undefined
  /** Returns milliseconds since 1970, as `Date.now` does; the system clock by default. Every other time is in seconds. */
  readonly clock?: (() => number) | undefined
}

/** The ports of an embedder's provider. Every port may return a value or a promise. */
export type ProviderPorts = PlainPorts & CommonPorts

/** Derives the settings from the options. Throws a `TypeError` that lists every fault. */
export const settingsAt = (options: ProviderOptions, provider: Composition, scopes = catalogOf): Settings => {
  const faults = settingFaults(options)
  if (faults.length > 0) throw new TypeError(faults.join("; "))
  const { acr, settings: members = noMembers } = options
  const { authorizationParameters, responseModes, clientMetadata, detailsOf } = featureSettings(provider)
  // Values that providers share are identical objects.
  return {
    issuer: options.issuer,
    catalog: scopes(options),
    details: detailsOf(members),
    profile: profileNamed(options.profile ?? defaultProfile.name) ?? defaultProfile,
    rulesOff: options.rulesOff === undefined ? noRules : new Set(options.rulesOff),
    processes: options.processes ?? 1,
    sessionLifetime: options.sessionLifetime ?? defaultSessionLifetime,
    interactionLifetime: options.interactionLifetime ?? defaultInteractionLifetime,
    interactionRoutes: options.interactions ?? noRoutes,
    identityProviders: options.upstream ?? none,
    acr: acr === undefined ? defaultAcr : { password: acr.password ?? defaultAcr.password, upstream: acr.upstream ?? defaultAcr.upstream },
    acrValues: options.acrValues ?? none,
    tenants: options.tenants ?? none,
    pairwiseSalt: options.pairwiseSalt,
    authorizationParameters,
    responseModes,
    clientMetadata,
    members,
  }
}

const none: ReadonlyArray<never> = []
const noRoutes: InteractionRoutes = {}
const noMembers: Readonly<Record<string, Json>> = {}

const noRules: ReadonlySet<string> = new Set()

/** Builds the catalog of the scopes in the options. */
export const catalogOf = ({ scopes = [], resources = [] }: Pick<ProviderOptions, "scopes" | "resources">): Catalog =>
  catalog([...standardScopes, ...scopes], resources)

/** Derives settings from the features of a provider. */
const featureSettings = onceFor((provider) => ({
  authorizationParameters: parametersOf(provider),
  responseModes: new Map(provider.responseModes.map((mode) => [mode.name, mode])),
  clientMetadata: new Set(provider.clientMetadata.map(({ name }) => name)),
  detailsOf: onceFor((members: Settings["members"]): Settings["details"] =>
    provider.features.find(({ details }) => details !== undefined)?.details?.({ members }),
  ),
}))

const parametersOf = ({ authorizationParameters: parameters }: Composition): AuthorizationParameters => ({
  known: new Set(parameters.map(({ name }) => name)),
  repeated: new Set(parameters.flatMap(({ name, repeats }) => (repeats === true ? [name] : []))),
})

/** Returns every fault of a provider's settings, as text. */
export const settingFaults = (options: ProviderOptions): ReadonlyArray<string> => {
  const {
    issuer,
    upstream = [],
    sessionLifetime = 1,
    interactionLifetime = 1,
    processes = 1,
    portTimeout = 1,
    acrValues = [],
    pairwiseSalt,
    accountKey,
  } = options
  const names = upstream.map(({ name }) => name)
  const faults: Array<string> = []
  if (typeof issuer !== "string" || !/^https?:\/\/[a-z0-9.\-[\]:]+(?:\/[^\s?#]*)?$/.test(issuer))
    faults.push("issuer: must be an http or https URL in lower case, without query or fragment (RFC 8414 §2)")
  else if (issuer.replace(/\/$/, "") !== normalIssuer(issuer))
    faults.push(
      "issuer: must be in normal form, without default port, empty or dot segments: clients compare it byte for byte (RFC 8414 §3.3)",
    )
  if (repeats(names).length > 0 || names.some((name) => !/^[a-z0-9-]{1,50}$/.test(name)))
    faults.push("upstream: each provider has a name of its own, 1 to 50 lower-case letters, digits and dashes")
  for (const [name, value, unit] of [
    ["sessionLifetime", sessionLifetime, "of seconds "],
    ["interactionLifetime", interactionLifetime, "of seconds "],
    ["processes", processes, ""],
  ] as const)
    if (!Number.isInteger(value) || value < 1) faults.push(`${name}: must be a whole number ${unit}above 0`)
  if (!(portTimeout > 0 && portTimeout <= longestTimeout))
    faults.push(`portTimeout: must be a number of milliseconds above 0 and up to ${longestTimeout}`)
  for (const [place, value, form] of formed(options)) {
    const { pattern, words } = forms[form]
    if (value !== undefined && !pattern.test(value)) faults.push(`${place}: must be ${words}`)
  }
  for (const { path, message, hint } of scopeFaults(options)) faults.push(`${placeOf(path)}: ${message}; ${hint}`)
  for (const at of repeats(acrValues)) faults.push(`acrValues[${at}]: is named twice; name each context once`)
  if (!isKey(pairwiseSalt))
    faults.push("pairwiseSalt: must be a Secret of at least 32 characters, made with secretOf (OpenID Connect Core §8.1)")
  if (options.profile !== undefined && profileNamed(options.profile) === undefined)
    faults.push(`profile: there is no such profile; use ${profiles.map(({ name }) => name).join(" or ")}`)
  if (!isKey(accountKey)) faults.push("accountKey: must be a Secret of at least 32 characters, made with secretOf")
  return faults
}

const placeOf = (path: ReadonlyArray<string | number>): string => path.join(".").replace(/\.(\d+)/g, "[$1]")

/** The longest time limit that the timers of all runtimes support, in milliseconds. */
export const longestTimeout = 2_147_483_647
/** The formats of strings in the settings. */
const forms = {
  path: {
    pattern: /^\/(?!\/)[\w\-.~/%@:+]*$/,
    words: "a path of the issuer's origin without query, such as \"/sign-in\": no other origin gets the browser's cookies",
  },
  context: {
    pattern: /^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/,
    words: "an authentication context of 1 to 200 printable ASCII characters without space, beginning neither with idp: nor tenant:",
  },
  scope: { pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/, words: 'a scope of printable ASCII characters without space, " and \\ (RFC 6749 §3.3)' },
  word: { pattern: /^[\x21-\x7e]+$/, words: "printable ASCII characters without space" },
} as const

type Formed = readonly [place: string, value: string | undefined, form: keyof typeof forms]

/** Returns the strings that have a format, each with its place. */
const formed = ({ interactions = {}, acr = {}, acrValues = [], tenants = [], scopes = [], resources = [] }: ProviderOptions) => [
  ...Object.entries(interactions).map(([name, path]): Formed => [`interactions.${name}`, path, "path"]),
  ...Object.entries(acr).map(([name, value]): Formed => [`acr.${name}`, value, "context"]),
  ...acrValues.map((value, at): Formed => [`acrValues[${at}]`, value, "context"]),
  ...tenants.map((value, at): Formed => [`tenants[${at}]`, value, "word"]),
  ...scopes.map(({ name }, at): Formed => [`scopes[${at}].name`, name, "scope"]),
  ...resources.flatMap(({ identifier, scopes: owned }, at): ReadonlyArray<Formed> => [
    [`resources[${at}].identifier`, identifier, "word"],
    ...owned.map(({ name }, of): Formed => [`resources[${at}].scopes[${of}].name`, name, "scope"]),
  ]),
]

const isKey = (value: Secret | undefined): boolean => {
  if (value === undefined) return true
  // A caller without types may pass anything.
  const text: unknown = typeof value?.reveal === "function" ? value.reveal() : undefined
  return typeof text === "string" && text.length >= 32
}
