import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { capabilities } from "./endpoints/index.ts"
import { route } from "./endpoints/route.ts"
import { tablesWith } from "./endpoints/tables.ts"
import type { ExtensionGrant } from "./extension/index.ts"
import { joseJwts } from "./jose/jwts.ts"
import {
  type IdentityProvider,
  type IdentityScope,
  type Resource,
  type Secret,
  type Settings,
  catalogue,
  defaultInteractionLifetime,
  defaultSessionLifetime,
  standardScopes,
} from "./model/index.ts"
import {
  type AuditPort,
  Authenticator,
  type AuthenticatorPort,
  type Awaitable,
  ClientStore,
  type ClientStorePort,
  Digest,
  type DigestPort,
  type EntropyPort,
  IdentityProviders,
  type IdentityProvidersPort,
  Jwts,
  type JwtsPort,
  type LimiterPort,
  Outbound,
  type OutboundPort,
  type PagesPort,
  type Ports,
  Signer,
  type SignerPort,
  TokenStore,
  type TokenStorePort,
  type TrailPort,
  atOnce,
  noIdentityProviders,
  noOutbound,
} from "./ports/index.ts"
import { awaitable } from "./ports/steps.ts"
import { webDigest, webEntropy } from "./webcrypto/index.ts"
import { type Answer, type Message, fromRequest, toResponse, tooLong } from "./wire/index.ts"

/** What a provider is told about itself. */
export interface ProviderOptions {
  /** The issuer identifier: an https URL without query or fragment, byte for byte as clients compare it (RFC 8414 §2). */
  readonly issuer: string
  /** Identity scopes beside the standard ones; one of the same name replaces it. */
  readonly scopes?: ReadonlyArray<IdentityScope>
  /** Protected resources and the scopes they own. */
  readonly resources?: ReadonlyArray<Resource>
  /** Seconds a sign-in lasts since it was last used; 36000 when not given. */
  readonly sessionLifetime?: number
  /** Seconds a request waits for a person; 900 when not given. */
  readonly interactionLifetime?: number
  /** Other OpenID Providers that people may sign in at; `identityProviders` of the ports speaks with them. */
  readonly upstream?: ReadonlyArray<IdentityProvider>
  /** Tenants that pages have looks for: others that `acr_values=tenant:NAME` asks for are not shown. Any is when not given. */
  readonly tenants?: ReadonlyArray<string>
  /** What pairwise subjects are made with: at least 32 characters of chance that never change (OpenID Connect Core §8.1). */
  readonly pairwiseSalt?: Secret
  /** Extension grants (RFC 6749 §4.5), made with `extensionGrant`; a client uses one when its name is among the client's `grant_types`. */
  readonly grants?: ReadonlyArray<ExtensionGrant>
  /** Ids of rules to leave out, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlyArray<string>
}

/** The ports that Effect services may take the place of. */
export interface PlainPorts {
  readonly clients: ClientStorePort
  readonly tokens: TokenStorePort
  readonly signer: SignerPort
  readonly authenticator: AuthenticatorPort
}

/** The ports with defaults, or without an Effect form. */
export interface CommonPorts {
  readonly pages: PagesPort
  /** Nobody's when not given. */
  readonly identityProviders?: IdentityProvidersPort
  /** Fetches nothing when not given. */
  readonly outbound?: OutboundPort
  /** jose's when not given. */
  readonly jwts?: JwtsPort
  /** WebCrypto's when not given. */
  readonly entropy?: EntropyPort
  /** WebCrypto's when not given. */
  readonly digest?: DigestPort
  /** Dropped when not given. */
  readonly trails?: TrailPort
  /** Dropped when not given. */
  readonly audit?: AuditPort
  /** Limits requests of the token endpoint; nobody's when not given. */
  readonly limiter?: LimiterPort
  /** Milliseconds since 1970; the system's clock when not given. */
  readonly clock?: () => number
}

/** What an embedder binds a provider to. Every port may answer at once or with a promise. */
export type ProviderPorts = PlainPorts & CommonPorts

/** A provider: requests in, answers out. */
export interface Provider {
  /** Answers a message, at once where nothing has to be waited for; never throws and never rejects. */
  readonly handle: (message: Message) => Awaitable<Answer>
  /** The same for web-standard runtimes. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly settings: Settings
}

/** A provider for a shell written with Effect. */
export interface EffectProvider {
  readonly handle: (message: Message) => Effect.Effect<Answer>
  readonly settings: Settings
}

/** The settings that options come to. Throws a `TypeError` for an issuer that cannot be one, or a provider's name that can be in no path. */
export const settingsFrom = (options: ProviderOptions): Settings => {
  if (!/^https?:\/\/[a-z0-9.\-[\]:]+(?:\/[^\s?#]*)?$/.test(options.issuer))
    throw new TypeError("the issuer must be an http or https URL in lower case, without query or fragment (RFC 8414 §2)")
  const names = (options.upstream ?? []).map(({ name }) => name)
  if (new Set(names).size < names.length || names.some((name) => !/^[a-z0-9-]{1,50}$/.test(name)))
    throw new TypeError("each provider of upstream has a name of its own: 1 to 50 lower-case letters, digits and dashes")
  return {
    issuer: options.issuer,
    catalogue: catalogue([...standardScopes, ...(options.scopes ?? [])], options.resources ?? []),
    sessionLifetime: options.sessionLifetime ?? defaultSessionLifetime,
    interactionLifetime: options.interactionLifetime ?? defaultInteractionLifetime,
    identityProviders: options.upstream ?? [],
    tenants: options.tenants ?? [],
    pairwiseSalt: options.pairwiseSalt,
    rulesOff: new Set(options.rulesOff),
  }
}

const repeated = (names: ReadonlyArray<string>): string | undefined => names.find((name, at) => names.indexOf(name) !== at)

/** The extension grants of options. Throws a `TypeError` when two things would go by one name: a trail could not tell them apart. */
const extensionsFrom = ({ grants = [] }: ProviderOptions): ReadonlyArray<ExtensionGrant> => {
  const grantType = repeated([...capabilities.grantTypes, ...grants.map(({ name }) => name)])
  if (grantType !== undefined) throw new TypeError(`there is a grant named ${grantType} already`)
  const before = new Set(tablesWith([]).flatMap(({ name, rules }) => [name, ...rules.map(({ id }) => id)]))
  const own = grants.flatMap(({ tables }) => tables.flatMap(({ name, rules }) => [name, ...rules.map(({ id }) => id)]))
  const taken = own.find((name) => before.has(name)) ?? repeated(own)
  if (taken !== undefined) throw new TypeError(`extension grants: there is a rule or table named ${taken} already`)
  return grants
}

const settled = (options: ProviderOptions, common: CommonPorts, four: Pick<Ports, keyof PlainPorts>): Ports => {
  const { clock } = common
  return {
    ...four,
    identityProviders: IdentityProviders.from(common.identityProviders ?? noIdentityProviders),
    outbound: Outbound.from(common.outbound ?? noOutbound),
    jwts: Jwts.from(common.jwts ?? joseJwts),
    pages: common.pages,
    entropy: common.entropy ?? webEntropy(),
    digest: Digest.from(common.digest ?? webDigest, atOnce),
    trails: common.trails ?? { record: () => undefined },
    audit: common.audit ?? { record: () => undefined },
    limiter: common.limiter,
    clock: clock === undefined ? () => Clock.currentTimeMillis : () => Effect.succeed(clock()),
    settings: settingsFrom(options),
  }
}

/** Binds a provider to ports given as Effect services. */
export const makeProvider = (
  options: ProviderOptions & CommonPorts,
): Effect.Effect<EffectProvider, never, ClientStore | TokenStore | Signer | Authenticator> =>
  Effect.gen(function* () {
    const ports = settled(options, options, {
      clients: yield* ClientStore,
      tokens: yield* TokenStore,
      signer: yield* Signer,
      authenticator: yield* Authenticator,
    })
    const answer = route(ports, extensionsFrom(options))
    return { handle: (message: Message) => Effect.suspend(() => answer(message)), settings: ports.settings }
  })

/** Binds a provider to plain ports: no Effect in sight. */
export const createProvider = (options: ProviderOptions & ProviderPorts): Provider => {
  const ports = settled(options, options, {
    clients: ClientStore.from(options.clients, atOnce),
    tokens: TokenStore.from(options.tokens, atOnce),
    signer: Signer.from(options.signer, atOnce),
    authenticator: Authenticator.from(options.authenticator, atOnce),
  })
  const answer = route(ports, extensionsFrom(options))
  const handle = (message: Message): Awaitable<Answer> => awaitable(answer(message))
  return {
    handle,
    fetch: async (request) => {
      const message = await fromRequest(request)
      return message === undefined ? tooLong() : toResponse(await handle(message), request.method)
    },
    settings: ports.settings,
  }
}
