import * as Effect from "effect/Effect"
import { consoleReport } from "../console/index.ts"
import { type AnyFeature, composed } from "./composition.ts"
import { refuseFaults } from "./creation.ts"
import { soundOptions } from "./kinds.ts"
import { type Resume, interactionsOf } from "./interactions.ts"
import { type ServedEndpoint, route } from "./route.ts"
import { endedAll } from "./signOut.ts"
import { joseJwts } from "../jose/jwts.ts"
import { type InteractionState, type Settings, secretOf } from "../model/index.ts"
import { type CommonPorts, type PlainPorts, type ProviderOptions, type ProviderPorts, settingsAt } from "./options.ts"
import {
  Authenticator,
  type Awaitable,
  ClientStore,
  Digest,
  IdentityProviders,
  Jwts,
  Outbound,
  type OutwardLoad,
  type Ports,
  type ReportPort,
  Signer,
  TokenStore,
  atOnce,
  noIdentityProviders,
  noOutbound,
  outwardPlaces,
  pagesFrom,
  placedIdentityProviders,
  placedOutbound,
  resolvingClients,
} from "../ports/index.ts"
import { awaitable } from "../ports/steps.ts"
import { webClock, webTimer } from "../timer/index.ts"
import { webDigest, webEntropy } from "../webcrypto/index.ts"
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

const settled = (options: ProviderOptions, common: CommonPorts, four: Pick<Ports, keyof PlainPorts>, settings: Settings): Ports => {
  const { clock = webClock, entropy = webEntropy() } = common
  let { accountKey } = options
  const outward = outwardPlaces(options.processes)
  return {
    ...four,
    identityProviders: placedIdentityProviders(IdentityProviders.from(common.identityProviders ?? noIdentityProviders), outward),
    outbound: placedOutbound(Outbound.from(common.outbound ?? noOutbound), outward),
    outward,
    jwts: Jwts.from(common.jwts ?? joseJwts),
    pages: pagesFrom(common.pages, common.timer ?? webTimer),
    entropy,
    // Drawn when it is first needed: some runtimes have no chance to draw from before a request comes.
    accountKey: () => (accountKey ??= secretOf(encodeBase64Url(entropy.bytes(32)))),
    digest: Digest.from(common.digest ?? webDigest, atOnce),
    trails: common.trails ?? { record: () => undefined },
    audit: common.audit ?? { record: () => undefined },
    report: common.report ?? consoleReport,
    limiter: common.limiter,
    recorder: common.recorder,
    outbox: common.outbox,
    clock: () => Effect.succeed(clock()),
    settings,
  }
}

/**
 * Binds a provider of the features given, or else of others, to plain ports: no Effect in sight. Throws one `TypeError` that names every missing or wrong port
 * and setting.
 */
export const providerOf = (given: ProviderOptions & ProviderPorts, otherwise: ReadonlyArray<AnyFeature>): Provider => {
  const { options, faults } = soundOptions(given)
  const { features = otherwise, grants } = options
  const parts = composed({ features, grants })
  refuseFaults(options, parts, faults)
  const settings = settingsAt(options, parts)
  const provider = { ...parts, identityProviders: settings.identityProviders }
  const ports = settled(
    options,
    options,
    {
      clients: ClientStore.from(options.clients, atOnce),
      tokens: TokenStore.from(options.tokens, atOnce),
      signer: Signer.from(options.signer, atOnce),
      authenticator: Authenticator.from(options.authenticator, atOnce),
    },
    settings,
  )
  const clients = resolvingClients(ports.clients, parts.clientResolvers, ports)
  const routes = route({ ...ports, clients }, provider)
  const { answer, endpointAt } = routes
  const handle = (message: Message): Awaitable<Answer> => awaitable(answer(message))
  const { report } = ports
  return {
    handle,
    fetch: async (request, caller) => {
      const taken = request.bodyUsed || request.body?.locked === true
      const message = await fromRequest(request, caller).catch((cause: unknown) => {
        // A caller who goes away in the middle of a body is nobody's fault.
        if (taken) reportUnread(report, cause)
        return "unread" as const
      })
      if (message === "unread") return unread()
      return message === undefined ? tooLong() : toResponse(await handle(message), request.method)
    },
    ...interactionsOf(routes, provider),
    signOut: (subject) =>
      Effect.runPromise(
        Effect.flatMap(ports.clock(), (millis) =>
          endedAll(subject, provider.sessionEndings, { ports, millis, now: Math.floor(millis / 1000) }),
        ),
      ),
    serves: (path) => endpointAt(path) !== undefined,
    endpointAt,
    report,
    outward: ports.outward.load,
    settings: ports.settings,
  }
}

/** Reports a body that was gone before the provider read it; a report that fails is dropped. */
const reportUnread = (report: ReportPort, cause: unknown): void => {
  try {
    report({ cause, uncertain: false })
  } catch {
    // As every failure of a report.
  }
}
