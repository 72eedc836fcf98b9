import {
  authenticatorOf,
  clientStoreOf,
  digestsOf,
  identityProvidersOf,
  jwtsOf,
  outboundOf,
  signerOf,
  tokenStoreOf,
} from "../ports/lifted.ts"
import * as Effect from "effect/Effect"
import type { Composition } from "../features/feature.ts"
import { consoleReport } from "../platform/console.ts"
import { type AnyFeature, type Chosen, compositionOf } from "./composition.ts"
import { refuseOptions } from "./creation.ts"
import { soundOptions } from "./kinds.ts"
import type { Resume } from "../features/ownPages.ts"
import { ownWayOf } from "./ownPages.ts"
import type { ServedEndpoint } from "./reach.ts"
import { type Serving, answerTo, endpointAt, servingOf } from "./route.ts"
import { endedAll } from "./signOut.ts"
import { joseJwsVerifier } from "../jose/verification.ts"
import { type IdentityProvider, type InteractionState, type Secret, type Settings, secretOf } from "../model/index.ts"
import type { CommonPorts, PlainPorts, ProviderOptions, ProviderPorts } from "./options.ts"
import { catalogOf, settingsAt } from "./settings.ts"
import { patienceOf } from "./patience.ts"
import {
  type Awaitable,
  type EntropyPort,
  type JwtsPort,
  type LiftedTokenStore,
  type Outward,
  type Patience,
  type OutwardLoad,
  type Ports,
  type ReportPort,
  atOnce,
  atOnceWithin,
  noIdentityProviders,
  noOutbound,
  outwardPlaces,
  pagesFrom,
  placedIdentityProviders,
  placedOutbound,
  whenRunWithin,
} from "../ports/index.ts"
import { promptEntropy, promptLimiter, promptMillis } from "../ports/prompt.ts"
import { awaitable } from "../ports/steps.ts"
import { webClock } from "../platform/timer.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"
import { type Answer, type Caller, type Message, encodeBase64Url } from "../wire/index.ts"
import { fetched } from "./fetched.ts"

/** A provider, which answers requests. */
export interface Provider {
  /** Answers a message, synchronously if nothing has to be waited for; never throws and never rejects. */
  readonly handle: (message: Message) => Awaitable<Answer>
  /**
   * Answers a web-standard request; never rejects. `caller.address` is the address of the caller from a source that you trust; attempts are
   * throttled and counted by it. No header is trusted here, so the address is unknown by default.
   */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
  /**
   * Returns the step that the request in `?interaction=` requires from its person, for a page of your own (`interactions` of the options):
   * the sign-in or consent, and the rule that requires it. It changes nothing, and never rejects if the provider has the feature
   * `interaction`. An interaction that is gone or belongs to another browser is returned as refused.
   */
  readonly interaction: (request: Request | Message, caller?: Caller) => Promise<InteractionState>
  /**
   * Continues that request with the result of your page, under the same rules as the built-in pages; never rejects. Answers with the
   * redirect to the next page or to the client, and its cookies. A caller that accepts `application/json` receives JSON with the member
   * `location`.
   */
  readonly resume: Resume
  /**
   * Signs a person out everywhere, for example after a change of their password. It ends every session, revokes every grant with the codes
   * and tokens derived from it, and notifies the clients that requested it. Resolves to the number of sessions that were live; rejects if
   * the token store or the client store fails.
   */
  readonly signOut: (subject: string) => Promise<number>
  /**
   * Reports whether an endpoint has this path, for a server that also serves other resources. The path has no query, and its
   * percent-encoding is preserved.
   */
  readonly serves: (path: string) => boolean
  /** Finds the endpoint of a path, for the metrics and refusals of the server around the provider. */
  readonly endpointAt: (path: string) => ServedEndpoint | undefined
  /** The report port of the provider, or its default, for failures of the server around it. */
  readonly report: ReportPort
  /** The number of requests that wait for other providers or for client documents. These must not hold up other requests of the server. */
  readonly outward: () => OutwardLoad
  /** The settings derived from the options. */
  readonly settings: Settings
}

/** The parts that providers of one process may share. A single provider creates its own. */
export interface Common {
  /** Combines features. */
  readonly compositionOf: (chosen: Chosen, identityProviders: ReadonlyArray<IdentityProvider>) => Composition
  /** Builds the catalog of the scopes in the options. */
  readonly catalogOf: typeof catalogOf
  /** Lifts a port; a port that providers with the same time limit share is lifted once. */
  readonly lifted: <Port extends object, Made>(name: string, port: Port, lift: (port: Port) => Made, patience: Patience) => Made
  /** Returns the slots for outbound requests. */
  readonly outward: (processes: number | undefined) => Outward
  /** Verifies and encrypts JWTs with keys of other parties, for options without such a port. */
  readonly jwts: JwtsPort
  /** Returns the source of randomness, for options without such a port. */
  readonly entropy: () => EntropyPort
  /** Returns the key of the hashes that represent accounts. By default, it is taken from the options or generated. */
  readonly accountKey?: () => Secret
  /** The token store as endpoints use it; the one of the options by default. */
  readonly tokens?: LiftedTokenStore | undefined
}

const byItself: Omit<Common, "jwts"> = {
  compositionOf,
  catalogOf,
  lifted: (_, port, lift) => lift(port),
  outward: outwardPlaces,
  entropy: webEntropy,
}

const settled = (options: ProviderOptions & CommonPorts & PlainPorts, settings: Settings, common: Common): Ports => {
  const { clock = webClock, limiter } = options
  const patience = patienceOf(options)
  const lifted = <Port extends object, Made>(name: string, port: Port, make: (port: Port) => Made): Made =>
    common.lifted(name, port, make, patience)
  const entropy = options.entropy === undefined ? common.entropy() : lifted("entropy", options.entropy, promptEntropy)
  const [lift, lazily] = [atOnceWithin(patience), whenRunWithin(patience)]
  let { accountKey } = options
  const outward = common.outward(options.processes)
  const clients = lifted("clients", options.clients, (port) => clientStoreOf(port, lift))
  return {
    settings,
    tokens: common.tokens ?? tokenStoreOf(options.tokens, lift),
    clock: lifted("clock", clock, (millis) => () => Effect.succeed(promptMillis(millis))),
    recorder: options.recorder,
    entropy,
    limiter: limiter && lifted("limiter", limiter, promptLimiter),
    clients,
    digest: lifted("digest", options.digest ?? webDigest, (port) => digestsOf(port, port === webDigest ? atOnce : lift)),
    authenticator: lifted("authenticator", options.authenticator, (port) => authenticatorOf(port, lift)),
    trails: options.trails ?? unrecorded,
    outbox: options.outbox,
    audit: options.audit ?? unrecorded,
    report: options.report ?? consoleReport,
    knownClients: clients,
    signer: lifted("signer", options.signer, (port) => signerOf(port, lift)),
    identityProviders: lifted("identityProviders", options.identityProviders ?? noIdentityProviders, (port) =>
      placedIdentityProviders(identityProvidersOf(port, lazily), outward),
    ),
    outbound: lifted("outbound", options.outbound ?? noOutbound, (port) => placedOutbound(outboundOf(port, lazily), outward)),
    outward,
    patience,
    jwts: lifted("jwts", options.jwts ?? common.jwts, (port) => jwtsOf(port, port === common.jwts ? atOnce : lift)),
    pages: lifted("pages", options.pages, (port) => pagesFrom(port, patience.timer)),
    // Generated on first use, because some runtimes have no randomness before the first request.
    accountKey: common.accountKey ?? (() => (accountKey ??= secretOf(encodeBase64Url(entropy.bytes(32))))),
  }
}

const unrecorded = { record: () => undefined }

/**
 * Throws one `TypeError` that lists every missing or invalid port and setting of a provider with the given features, or with `otherwise`.
 */
export const judged = (
  given: ProviderOptions & ProviderPorts,
  otherwise: ReadonlyArray<AnyFeature>,
  common: Pick<Common, "compositionOf" | "jwts">,
): void => {
  const { options, faults } = soundOptions(given)
  const { features = otherwise, grants } = options
  const named = common.compositionOf({ features, grants }, [])
  refuseOptions(options, named, [...faults, ...unencrypted(options.jwts ?? common.jwts, named)])
}

/** Binds a provider with validated options to plain ports, and creates the state that its requests need. */
export const bound = (options: ProviderOptions & ProviderPorts, otherwise: ReadonlyArray<AnyFeature>, common: Common): Serving => {
  const { features = otherwise, grants, upstream = [] } = options
  const provider = common.compositionOf({ features, grants }, upstream)
  return servingOf(settled(options, settingsAt(options, provider, common.catalogOf), common), provider)
}

/** Returns the fault of a provider whose clients may request encrypted responses, but whose port cannot encrypt. */
const unencrypted = (jwts: JwtsPort, { features }: Composition): ReadonlyArray<string> =>
  jwts !== joseJwsVerifier
    ? []
    : features.flatMap(({ name: feature, clientMetadata = [] }) => {
        const member = clientMetadata.find(({ name }) => name.endsWith("_encrypted_response_alg"))
        return member === undefined
          ? []
          : [`jwts: is missing: clients may have answers encrypted (${member.name} of ${feature}); give joseJwts of @postern/core/jose`]
      })

/** Answers a message, synchronously if nothing has to be waited for. */
export const handled = (serving: Serving, message: Message): Awaitable<Answer> => awaitable(answerTo(serving, message))

/** Creates the provider with these parts, without Effect in its interface. */
export const providerBy = (serving: Serving): Provider => {
  const { ports, provider } = serving
  const { report, settings } = ports
  const handle = (message: Message): Awaitable<Answer> => handled(serving, message)
  const at = (path: string): ServedEndpoint | undefined => endpointAt(serving, path)
  return {
    handle,
    fetch: (request, caller) => fetched(handle, at, report, request, caller),
    ...ownWayOf(serving),
    signOut: (subject) =>
      Effect.runPromise(
        Effect.flatMap(ports.clock(), (millis) =>
          endedAll(subject, provider.sessionEndings, {
            ports: { ...ports, clients: ports.knownClients },
            millis,
            now: Math.floor(millis / 1000),
          }),
        ),
      ),
    serves: (path) => at(path) !== undefined,
    endpointAt: at,
    report,
    outward: ports.outward.load,
    settings,
  }
}

/** Creates a provider with plain ports. `jwts` is the default for options without that port. */
export const providerOf = (given: ProviderOptions & ProviderPorts, otherwise: ReadonlyArray<AnyFeature>, jwts: JwtsPort): Provider => {
  const common = { ...byItself, jwts }
  judged(given, otherwise, common)
  return providerBy(bound(given, otherwise, common))
}
