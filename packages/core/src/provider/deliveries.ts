import { aClient } from "../ports/due.ts"
import { digestsOf, jwtsOf, outboundOf, plainOf, signerOf, tokenStoreOf } from "../ports/lifted.ts"
import * as Effect from "effect/Effect"
import type { Composition, DeliveryMeans } from "../features/feature.ts"
import { joseJwts } from "../jose/jwts.ts"
import { type Instant, type JwtPlan, type Secret, secretOf } from "../model/index.ts"
import {
  type ClientStorePort,
  type EntropyPort,
  type JwtsPort,
  type OutboundPort,
  type SignerPort,
  type TimerPort,
  type TokenStorePort,
  noOutbound,
  outwardPlaces,
  placedOutbound,
  resolvedFind,
  resolvingFind,
  whenRunWithin,
} from "../ports/index.ts"
import { keyedHash } from "../settle/account.ts"
import { noDocuments } from "../settle/documents.ts"
import type { DeliveryHandler } from "../settle/outbox.ts"
import { signJwt } from "../settle/sign.ts"
import type { ProviderOptions } from "./options.ts"
import { settingsAt } from "./settings.ts"
import { patienceOf } from "./patience.ts"
import { settingKinds } from "./kinds.ts"
import { portKinds, portNames } from "./portFaults.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"
import { type MemberKinds, kindFault, memberFaults, partFaults, refuseFaults } from "../model/members.ts"
import { inSeconds } from "../ports/inSeconds.ts"
import { encodeBase64Url } from "../wire/index.ts"

/** The ports for message delivery. Those with a default may be omitted. */
export interface DeliveryPorts extends Pick<DeliveryMeans, "issuer" | "clients" | "signer"> {
  /** Sends messages, and fetches the keys that they are encrypted with. Nothing is sent by default. */
  readonly outbound?: OutboundPort | undefined
  /**
   * The token store of the provider, which also contains clients that registered themselves. Without it, neither messages to these clients
   * nor notices of expired CIBA requests are delivered.
   */
  readonly tokens?: TokenStorePort | undefined
  /** The implementation of jose by default. */
  readonly jwts?: JwtsPort | undefined
  /** The implementation of WebCrypto by default. */
  readonly entropy?: EntropyPort | undefined
  /** The key of keyed hashes, the same as the provider's. By default, it is generated for this process. */
  readonly accountKey?: Secret | undefined
  /** Receives audit events; they are dropped by default. */
  readonly audit?: DeliveryMeans["audit"] | undefined
  /**
   * The salt of pairwise subjects, the same as the provider's. Without it, a pairwise client is notified of an expired session only by its
   * `sub`.
   */
  readonly pairwiseSalt?: Secret | undefined
  /** Ids of rules to disable, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlyArray<string> | undefined
  /** Starts the timers for the time limit of each port call, the `portTimeout` of the options; the platform's by default. */
  readonly timer?: TimerPort | undefined
  /** Whole seconds since 1970. */
  readonly now: () => Instant
}

/** The options of the provider whose messages are delivered, as far as they are known. */
export type DeliveredOptions = Partial<Omit<ProviderOptions, "issuer">>

const kinds: MemberKinds<DeliveryPorts> = {
  issuer: "text",
  clients: "object",
  signer: "object",
  outbound: "object?",
  tokens: "object?",
  jwts: "object?",
  entropy: "object?",
  accountKey: "own?",
  audit: "object?",
  pairwiseSalt: "own?",
  rulesOff: "texts?",
  timer: "object?",
  now: "function",
}

/** The names of a provider's options, whose object may be given as a whole. */
const ofProvider = Object.fromEntries([...Object.keys(settingKinds), ...portNames].map((name) => [name, "own?"] as const))

/** Throws one `TypeError` that lists the faults of the ports. */
const refuse = (given: DeliveryPorts): void => {
  refuseFaults("deliveriesOf", kindFault("ports", given, "object") ?? memberFaults(given, { ...ofProvider, ...kinds }))
  const { clients, signer, outbound: sender, tokens: rows, entropy: chance, timer, audit: told } = given
  refuseFaults(
    "deliveriesOf",
    partFaults("clients", clients, { find: "function" }, "ClientStorePort"),
    partFaults("signer", signer, portKinds.signer, "SignerPort"),
    sender && partFaults("outbound", sender, portKinds.outbound, "OutboundPort"),
    rows && partFaults("tokens", rows, portKinds.tokens, "TokenStorePort"),
    chance && partFaults("entropy", chance, portKinds.entropy, "EntropyPort"),
    timer && partFaults("timer", timer, portKinds.timer, "TimerPort"),
    told && partFaults("audit", told, portKinds.audit, "AuditPort"),
  )
}

/** Returns the handlers of the messages that a provider's features write, for `startDelivering`. */
export const deliveriesAt = (
  provider: Composition,
  given: DeliveryPorts,
  options: DeliveredOptions,
): Readonly<Record<string, DeliveryHandler>> => {
  refuse(given)
  const {
    issuer,
    outbound = noOutbound,
    jwts = joseJwts,
    entropy = webEntropy(),
    audit = unheard,
    accountKey = secretOf(encodeBase64Url(entropy.bytes(32))),
    rulesOff = options.rulesOff,
  } = given
  const now = inSeconds("deliveriesOf", given.now)
  const outward = outwardPlaces()
  const lift = whenRunWithin(patienceOf({ timer: given.timer, portTimeout: options.portTimeout }))
  const lifted = {
    clients: { find: lift("ClientStore", "find", (id: string) => given.clients.find(id), aClient) },
    tokens: given.tokens && tokenStoreOf(given.tokens, lift),
    signer: signerOf(given.signer, lift),
    outbound: outboundOf(outbound, lift),
  }
  const { post } = outbound
  const sending = post && { post: lift("Outbound", "post", (...sent: Parameters<typeof post>) => post(...sent)) }
  // Features have plain ports, whose calls end all the same.
  const stored = plainOf<Pick<ClientStorePort, "find">>(lifted.clients)
  const tokens = lifted.tokens && plainOf<TokenStorePort>({ ...lifted.tokens })
  const signer = plainOf<SignerPort>(lifted.signer)
  const ports = { signer: lifted.signer, jwts: jwtsOf(jwts, lift), outbound: placedOutbound(lifted.outbound, outward), outward }
  const remote = noDocuments()
  const { pairwiseSalt = options.pairwiseSalt } = given
  const settings = settingsAt({ ...options, issuer, pairwiseSalt, rulesOff }, provider)
  const resolving = lifted.tokens && {
    tokens: lifted.tokens,
    digest: digestsOf(webDigest),
    clock: () => Effect.succeed(now() * 1000),
    answering: { settings, signer: lifted.signer },
  }
  const clients = resolving === undefined ? stored : { find: resolvingFind(stored, provider.clientResolvers, resolving) }
  const sign = (plan: JwtPlan): Promise<string> => Effect.runPromise(signJwt({ ports, remote, now: now() }, plan))
  const fresh = (): string => encodeBase64Url(entropy.bytes(16))
  const digests = { digest: digestsOf(webDigest), accountKey: () => accountKey }
  const keyed = (texts: ReadonlyArray<string>): Promise<string> => Effect.runPromise(keyedHash(texts, { ports: digests }))
  const digest = (text: string): Promise<string> => Effect.runPromise(digests.digest.sha256(text))
  const { rulesOff: off } = settings
  const ending: DeliveryMeans["ending"] =
    resolving &&
    ((find) => {
      const millis = now() * 1000
      // A client that is gone is not notified, and does not prevent others from being notified.
      const found = { find: resolvedFind(lifted.clients, provider.clientResolvers, resolving) }
      const { tokens: rows, digest: hashing } = resolving
      const means = { ports: { clients: found, tokens: rows, digest: hashing, entropy, settings }, millis, now: now() }
      return Effect.runPromise(find({ endings: provider.sessionEndings, means }))
    })
  const telling: DeliveryMeans["telling"] = ending && ((find) => ending(({ means }) => find(means)))
  const outgoing = plainOf<OutboundPort>({ ...lifted.outbound, ...sending })
  const means = {
    issuer,
    clients,
    tokens,
    signer,
    outbound: outgoing,
    audit,
    sign,
    fresh,
    keyed,
    digest,
    telling,
    ending,
    settings,
    rulesOff: off,
  }
  return Object.fromEntries(
    provider.features
      .flatMap(({ deliveries = {} }) => Object.entries(deliveries))
      .map(([kind, deliver]) => [kind, async (message, signal) => deliver(message, { ...means, signal, now: now() })] as const),
  )
}

const unheard: DeliveryMeans["audit"] = { record: () => undefined }
