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
  /** The issuer identifier: an https URL without query or fragment, byte for byte as clients compare it (RFC 8414 §2). */
  readonly issuer: string
  /** Identity scopes beside the standard ones; one of the same name replaces it. */
  readonly scopes?: ReadonlyArray<IdentityScope> | undefined
  /** Protected resources and the scopes they own. */
  readonly resources?: ReadonlyArray<Resource> | undefined
  /** Seconds a sign-in lasts since it was last used; 36000 when not given. */
  readonly sessionLifetime?: number | undefined
  /** Seconds a request waits for a person; 900 when not given. */
  readonly interactionLifetime?: number | undefined
  /**
   * Number of processes that serve together as one server; 1 when not given. Each has an Nth of the places for requests that wait for other hosts, and for
   * the verdict on earlier guesses.
   */
  readonly processes?: number | undefined
  /**
   * Your own pages for sign-in, consent and devices, each in place of ours: paths of the issuer's origin. They answer through `provider.interaction` and
   * `provider.resume`. Any may be left out.
   */
  readonly interactions?: InteractionRoutes | undefined
  /** Other OpenID Providers that people may sign in at; `identityProviders` of the ports speaks with them. */
  readonly upstream?: ReadonlyArray<IdentityProvider> | undefined
  /**
   * The `acr` of sign-ins whose authenticator or other provider states none: `urn:postern:password` and `urn:postern:upstream` when not
   * given. Discovery states them.
   */
  readonly acr?: { readonly [Kind in keyof DefaultAcr]?: string | undefined } | undefined
  /**
   * Other authentication contexts that the authenticator or other providers can reach, from weakest to strongest. Discovery states them, and a session below the
   * one that a client asks for signs in again (RFC 9470 §5).
   */
  readonly acrValues?: ReadonlyArray<string> | undefined
  /** Tenants that pages have looks for: others that `acr_values=tenant:NAME` asks for are not shown. Any is when not given. */
  readonly tenants?: ReadonlyArray<string> | undefined
  /** The salt of pairwise subjects: at least 32 random characters that never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret | undefined
  /**
   * The key of the hashes that stand for accounts in audit events and in the cookies of known devices: at least 32 characters of chance, the same after a
   * restart and on every machine. Each provider draws its own when not given.
   */
  readonly accountKey?: Secret | undefined
  /**
   * The features of the provider: `defaultFeatures` when not given. A feature that is left out is not there at all: its paths, discovery members and client
   * metadata are gone.
   */
  readonly features?: ReadonlyArray<Feature | ExtensionGrant> | undefined
  /**
   * Milliseconds that each call of a port may take; 20,000 when not given. A request whose port has not answered by then ends as if the port had failed: 503 with nothing
   * consumed, or, where it was a commit, with nobody knowing whether it was carried out. Pages have a `timeout` of their own.
   */
  readonly portTimeout?: number | undefined
  /** Settings of features, by their names; `require_…` and the like. Each feature has defaults. */
  readonly settings?: Readonly<Record<string, Json>> | undefined
  /** Extension grants beside the features (RFC 6749 §4.5), made with `extensionGrant`; a client uses one when its name is among the client's `grant_types`. */
  readonly grants?: ReadonlyArray<ExtensionGrant> | undefined
  /** The profile of clients that name none, such as `oauth2.1`; `default` when not given. */
  readonly profile?: string | undefined
  /** Ids of rules to leave out, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlyArray<string> | undefined
}

/** The ports that Effect services may take the place of. */
export interface PlainPorts {
  /** Finds clients and checks their secrets. */
  readonly clients: ClientStorePort
  /** Keeps everything that changes. */
  readonly tokens: TokenStorePort
  /** Signs tokens and publishes keys. */
  readonly signer: SignerPort
  /** Knows the people who may sign in. */
  readonly authenticator: AuthenticatorPort
}

/** The ports with defaults, or without an Effect form. */
export interface CommonPorts {
  /** Turns page models into HTML. */
  readonly pages: PagesPort
  /** Nobody's when not given. */
  readonly identityProviders?: IdentityProvidersPort | undefined
  /** Fetches nothing when not given. */
  readonly outbound?: OutboundPort | undefined
  /** Told of messages that were written; they wait for the next look at the outbox when not given. */
  readonly outbox?: OutboxPort | undefined
  /** jose's when not given. */
  readonly jwts?: JwtsPort | undefined
  /** WebCrypto's when not given. */
  readonly entropy?: EntropyPort | undefined
  /** WebCrypto's when not given. */
  readonly digest?: DigestPort | undefined
  /** Dropped when not given. */
  readonly trails?: TrailPort | undefined
  /** Dropped when not given. */
  readonly audit?: AuditPort | undefined
  /** Receives each failure of a port, and each defect; written to `console.error` when not given. */
  readonly report?: ReportPort | undefined
  /** Limits requests of the token endpoint; nobody's when not given. */
  readonly limiter?: LimiterPort | undefined
  /** Receives whole requests with the answers of all ports, for recordings; nothing is recorded when not given. */
  readonly recorder?: RecorderPort | undefined
  /** Starts the timers that bound how long a page or a port may take, and those of requests that wait for another one; the platform's when not given. */
  readonly timer?: TimerPort | undefined
  /** Milliseconds since 1970; the system's clock when not given. */
  readonly clock?: (() => number) | undefined
}

/** The ports and settings of an embedder's provider. Every port may answer at once or with a promise. */
export type ProviderPorts = PlainPorts & CommonPorts

/** The settings that follow from the options. Throws a `TypeError` that tells every fault of theirs. */
export const settingsAt = (options: ProviderOptions, provider: Composition, scopes = catalogOf): Settings => {
  const faults = settingFaults(options)
  if (faults.length > 0) throw new TypeError(faults.join("; "))
  const { acr, settings: members = noMembers } = options
  const { authorizationParameters, responseModes, clientMetadata, detailsOf } = featureSettings(provider)
  // Values that providers have in common are the same objects.
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

/** Makes the catalog of the scopes that options name. */
export const catalogOf = ({ scopes = [], resources = [] }: Pick<ProviderOptions, "scopes" | "resources">): Catalog =>
  catalog([...standardScopes, ...scopes], resources)

/** The settings that follow from the features of a provider. */
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

/** Every fault of a provider's settings, in words. */
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

/** The longest time that a timer of every runtime can wait for, in milliseconds. */
export const longestTimeout = 2_147_483_647
/** Forms of texts among the settings. */
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

/** The texts that have a form, each with its place. */
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
  // A caller without types may give anything.
  const text: unknown = typeof value?.reveal === "function" ? value.reveal() : undefined
  return typeof text === "string" && text.length >= 32
}
