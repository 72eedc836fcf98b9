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
import { refuseFaults } from "./creation.ts"
import { soundOptions } from "./kinds.ts"
import type { Resume } from "../features/ownPages.ts"
import { ownWayOf } from "./ownPages.ts"
import type { ServedEndpoint } from "./reach.ts"
import { reportUnread } from "./record.ts"
import { type Serving, answerTo, endpointAt, servingOf } from "./route.ts"
import { endedAll } from "./signOut.ts"
import { joseJwsVerifier } from "../jose/verification.ts"
import { type IdentityProvider, type InteractionState, type Secret, type Settings, secretOf } from "../model/index.ts"
import { type CommonPorts, type PlainPorts, type ProviderOptions, type ProviderPorts, catalogOf, settingsAt } from "./options.ts"
import {
  type Awaitable,
  type EntropyPort,
  type JwtsPort,
  type LiftedTokenStore,
  type Outward,
  type OutwardLoad,
  type Ports,
  type ReportPort,
  atOnce,
  atOnceWithin,
  defaultPortTimeout,
  noIdentityProviders,
  noOutbound,
  outwardPlaces,
  pagesFrom,
  placedIdentityProviders,
  placedOutbound,
  resolvingClients,
  whenRunWithin,
} from "../ports/index.ts"
import { promptEntropy, promptLimiter } from "../ports/prompt.ts"
import { awaitable } from "../ports/steps.ts"
import { webClock, webTimer } from "../platform/timer.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"
import { type Answer, type Caller, type Message, encodeBase64Url, fromRequest, toResponse, tooLong, unread } from "../wire/index.ts"

/** A provider: requests in, answers out. */
export interface Provider {
  /** Answers a message, at once where nothing has to be waited for; never throws and never rejects. */
  readonly handle: (message: Message) => Awaitable<Answer>
  /**
   * Answers a web-standard request; never rejects. `caller.address` is the address of who asks, as far as you trust where you have it from:
   * attempts are throttled and counted by it. No header is believed here, so it is unknown when not given.
   */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
  /**
   * Tells what the request behind `?interaction=` needs of its person, for a page of your own (`interactions` of the options): the sign-in, the consent, and the rule
   * that asks for it. Changes nothing and never rejects where the provider has the feature `interaction`: an interaction that is gone, or another browser's, is told
   * as refused.
   */
  readonly interaction: (request: Request | Message, caller?: Caller) => Promise<InteractionState>
  /**
   * Goes on with that request by what your page has obtained, judged by the same rules as our own pages; never rejects. Answers with the redirect to the next page or
   * to the client, with its cookies; as JSON, `{ "location" }`, to whoever asks for `application/json`.
   */
  readonly resume: Resume
  /**
   * Signs a person out everywhere, as after a change of their password: ends every session, revokes every grant with the codes and tokens made from it, and tells the
   * clients that want to know. Resolves to the number of sessions that lasted until now; rejects where the token store or the client store fails.
   */
  readonly signOut: (subject: string) => Promise<number>
  /** Reports whether an endpoint has this path, for a shell that serves other things too. Asked with the path alone, percent-encoding untouched. */
  readonly serves: (path: string) => boolean
  /** Finds the endpoint of a path, for the metrics and refusals of a shell. */
  readonly endpointAt: (path: string) => ServedEndpoint | undefined
  /** The report that the provider was given, or its default, for failures of the shell around it. */
  readonly report: ReportPort
  /** Number of requests that wait for other providers, or for documents of clients: a shell must not let these hold up the others. */
  readonly outward: () => OutwardLoad
  /** The settings that the options came to. */
  readonly settings: Settings
}

/** The parts that providers of one process may have in common. Each is made separately for a provider by itself. */
export interface Common {
  /** Adds features up. */
  readonly compositionOf: (chosen: Chosen, identityProviders: ReadonlyArray<IdentityProvider>) => Composition
  /** Makes the catalog of the scopes that options name. */
  readonly catalogOf: typeof catalogOf
  /** Lifts a port; a port that providers share needs it once. */
  readonly lifted: <Port extends object, Made>(name: string, port: Port, lift: (port: Port) => Made) => Made
  /** The places for requests that wait for other hosts. */
  readonly outward: (processes: number | undefined) => Outward
  /** JWTs under keys of others, for options that have no port for it. */
  readonly jwts: JwtsPort
  /** Chance, for options that have no port for it. */
  readonly entropy: () => EntropyPort
  /** The key of the hashes that stand for accounts; the one of the options, or else one that is drawn, when not given. */
  readonly accountKey?: () => Secret
  /** The token store as endpoints use it; that of the options when not given. */
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
  const { lifted } = common
  const { clock = webClock, limiter, timer = webTimer } = options
  const entropy = options.entropy === undefined ? common.entropy() : lifted("entropy", options.entropy, promptEntropy)
  const patience = { timer, milliseconds: options.portTimeout ?? defaultPortTimeout }
  const [lift, lazily] = [atOnceWithin(patience), whenRunWithin(patience)]
  let { accountKey } = options
  const outward = common.outward(options.processes)
  const clients = lifted("clients", options.clients, (port) => clientStoreOf(port, lift))
  return {
    settings,
    tokens: common.tokens ?? tokenStoreOf(options.tokens, lift),
    clock: lifted("clock", clock, (millis) => () => Effect.succeed(millis())),
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
    pages: lifted("pages", options.pages, (port) => pagesFrom(port, timer)),
    // Drawn when it is first needed: some runtimes have no chance to draw from before a request comes.
    accountKey: common.accountKey ?? (() => (accountKey ??= secretOf(encodeBase64Url(entropy.bytes(32))))),
  }
}

const unrecorded = { record: () => undefined }

/** Throws one `TypeError` that names every missing or wrong port and setting of a provider of the features given, or else of others. */
export const judged = (
  given: ProviderOptions & ProviderPorts,
  otherwise: ReadonlyArray<AnyFeature>,
  common: Pick<Common, "compositionOf" | "jwts">,
): void => {
  const { options, faults } = soundOptions(given)
  const { features = otherwise, grants } = options
  const named = common.compositionOf({ features, grants }, [])
  refuseFaults(options, named, [...faults, ...unencrypted(options.jwts ?? common.jwts, named)])
}

/** Binds a provider whose options were judged to plain ports, and makes what its requests need. */
export const bound = (options: ProviderOptions & ProviderPorts, otherwise: ReadonlyArray<AnyFeature>, common: Common): Serving => {
  const { features = otherwise, grants, upstream = [] } = options
  const provider = common.compositionOf({ features, grants }, upstream)
  return servingOf(settled(options, settingsAt(options, provider, common.catalogOf), common), provider)
}

/** The fault of a provider whose clients may have answers encrypted, and whose port encrypts none. */
const unencrypted = (jwts: JwtsPort, { features }: Composition): ReadonlyArray<string> =>
  jwts !== joseJwsVerifier
    ? []
    : features.flatMap(({ name: feature, clientMetadata = [] }) => {
        const member = clientMetadata.find(({ name }) => name.endsWith("_encrypted_response_alg"))
        return member === undefined
          ? []
          : [`jwts: is missing: clients may have answers encrypted (${member.name} of ${feature}); give joseJwts of @postern/core/jose`]
      })

/** Answers a message, at once where nothing has to be waited for. */
export const handled = (serving: Serving, message: Message): Awaitable<Answer> => awaitable(answerTo(serving, message))

/** The provider that answers with these means: no Effect in sight. */
export const providerBy = (serving: Serving): Provider => {
  const { ports, provider } = serving
  const { report, settings } = ports
  const handle = (message: Message): Awaitable<Answer> => handled(serving, message)
  // Nothing is fetched to sign a person out: no client's host can keep it from being done.
  const clients = resolvingClients(ports.clients, provider.clientResolvers, { ...ports, asking: undefined, judging: ports })
  return {
    handle,
    fetch: (request, caller) => fetched(handle, report, request, caller),
    ...ownWayOf(serving),
    signOut: (subject) =>
      Effect.runPromise(
        Effect.flatMap(ports.clock(), (millis) =>
          endedAll(subject, provider.sessionEndings, { ports: { ...ports, clients }, millis, now: Math.floor(millis / 1000) }),
        ),
      ),
    serves: (path) => endpointAt(serving, path) !== undefined,
    endpointAt: (path) => endpointAt(serving, path),
    report,
    outward: ports.outward.load,
    settings,
  }
}

/** Binds a provider to plain ports. Those of `jwts` are for options that have none. */
export const providerOf = (given: ProviderOptions & ProviderPorts, otherwise: ReadonlyArray<AnyFeature>, jwts: JwtsPort): Provider => {
  const common = { ...byItself, jwts }
  judged(given, otherwise, common)
  return providerBy(bound(given, otherwise, common))
}

/** Answers a web-standard request by what answers messages. */
export const fetched = async (
  handle: Provider["handle"],
  report: ReportPort,
  request: Request,
  caller: Caller | undefined,
): Promise<Response> => {
  const spoiled = isSpoiled(request)
  const message = await fromRequest(request, caller).catch((cause: unknown) => {
    // A caller who goes away in the middle of a body is nobody's fault.
    if (spoiled) reportUnread(report, cause)
    return "unread" as const
  })
  if (message === "unread") return unread()
  return message === undefined ? tooLong() : toResponse(await handle(message), request.method)
}

/** Reports whether a body was gone before the provider read it, or whether there was no request at all, as code without types may have it. */
const isSpoiled = (request: Partial<Request> | null | undefined): boolean =>
  typeof request?.url !== "string" || request.bodyUsed === true || request.body?.locked === true
