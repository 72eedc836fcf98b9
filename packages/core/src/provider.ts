import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { consoleReport } from "./console/index.ts"
import { refuseFaults } from "./creation.ts"
import { route } from "./endpoints/route.ts"
import { joseJwts } from "./jose/jwts.ts"
import type { Settings } from "./model/index.ts"
import { type CommonPorts, type PlainPorts, type ProviderOptions, type ProviderPorts, settingsFrom } from "./options.ts"
import {
  Authenticator,
  type Awaitable,
  ClientStore,
  Digest,
  IdentityProviders,
  Jwts,
  Outbound,
  type PagesPort,
  PortFailed,
  type Ports,
  Signer,
  TokenStore,
  atOnce,
  noIdentityProviders,
  noOutbound,
} from "./ports/index.ts"
import { awaitable } from "./ports/steps.ts"
import { webDigest, webEntropy } from "./webcrypto/index.ts"
import { type Answer, type Message, fromRequest, toResponse, tooLong } from "./wire/index.ts"

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

const settled = (options: ProviderOptions, common: CommonPorts, four: Pick<Ports, keyof PlainPorts>): Ports => {
  const { clock } = common
  return {
    ...four,
    identityProviders: IdentityProviders.from(common.identityProviders ?? noIdentityProviders),
    outbound: Outbound.from(common.outbound ?? noOutbound),
    jwts: Jwts.from(common.jwts ?? joseJwts),
    pages: namedPages(common.pages),
    entropy: common.entropy ?? webEntropy(),
    digest: Digest.from(common.digest ?? webDigest, atOnce),
    trails: common.trails ?? { record: () => undefined },
    audit: common.audit ?? { record: () => undefined },
    report: common.report ?? consoleReport,
    limiter: common.limiter,
    clock: clock === undefined ? () => Clock.currentTimeMillis : () => Effect.succeed(clock()),
    settings: settingsFrom(options),
  }
}

/** Pages whose failure says that it is theirs. */
const namedPages = (pages: PagesPort): PagesPort => ({
  render: (page, context) => {
    try {
      return pages.render(page, context)
    } catch (cause) {
      throw new PortFailed({ port: "Pages", operation: "render", cause })
    }
  },
})

/** Binds a provider to ports given as Effect services. Dies with a `TypeError` that names every missing or wrong port and setting. */
export const makeProvider = (
  options: ProviderOptions & CommonPorts,
): Effect.Effect<EffectProvider, never, ClientStore | TokenStore | Signer | Authenticator> =>
  Effect.gen(function* () {
    refuseFaults("makeProvider", options, false)
    const ports = settled(options, options, {
      clients: yield* ClientStore,
      tokens: yield* TokenStore,
      signer: yield* Signer,
      authenticator: yield* Authenticator,
    })
    const answer = route(ports, options.grants ?? [])
    return { handle: (message: Message) => Effect.suspend(() => answer(message)), settings: ports.settings }
  })

/** Binds a provider to plain ports: no Effect in sight. Throws one `TypeError` that names every missing or wrong port and setting. */
export const createProvider = (options: ProviderOptions & ProviderPorts): Provider => {
  refuseFaults("createProvider", options, true)
  const ports = settled(options, options, {
    clients: ClientStore.from(options.clients, atOnce),
    tokens: TokenStore.from(options.tokens, atOnce),
    signer: Signer.from(options.signer, atOnce),
    authenticator: Authenticator.from(options.authenticator, atOnce),
  })
  const answer = route(ports, options.grants ?? [])
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
