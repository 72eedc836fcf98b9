import { type Secret, secretOf } from "../../model/index.ts"
import {
  type AuditPort,
  type Lift,
  type LimiterPort,
  type OutboxPort,
  type TrailPort,
  inPartition,
  partitioned,
} from "../../ports/index.ts"
import { LiftedPart } from "../../ports/liftedPart.ts"
import { partOf } from "../../ports/partition.ts"
import type { DeliveryHandler } from "../../settle/outbox.ts"
import { webClock } from "../../platform/timer.ts"
import { webEntropy } from "../../platform/webcrypto.ts"
import { encodeBase64Url } from "../../wire/index.ts"
import { type Chosen, rowKindsAt } from "../composition.ts"
import { deliveriesAt } from "../deliveries.ts"
import type { ProviderOptions, ProviderPorts } from "../options.ts"
import type { Common } from "../provider.ts"
import type { FoundIssuer, ProvidersOptions } from "./options.ts"

/** The parts that one issuer has of what several share. */
export interface OwnParts {
  /** The options of its provider. */
  readonly options: ProviderOptions & ProviderPorts
  /** The features of its provider. */
  readonly chosen: Chosen
  /** Its part of the token store as endpoints use it; undefined where the options have no store, which is refused with the other ports. */
  readonly tokens: LiftedPart | undefined
  /** The key of the hashes that stand for accounts: made of the one that issuers share, so that no hash is the same at two of them. */
  readonly accountKey: () => Secret
}

/** The name of the people that issuers share: no issuer can be called so. */
const everybody = "*"

/** The means that the parts of all issuers are made with. */
export interface OwnMeans extends Chosen {
  readonly common: Common
  /** Asks the token store that issuers share. */
  readonly lift: Lift
  /** The key of hashes that the keys of issuers are made of; drawn when it is first needed. */
  readonly accountKey: () => Secret
}

/** Draws a key once. */
export const drawnKey = ({ accountKey, entropy }: ProvidersOptions): (() => Secret) => {
  let drawn = accountKey
  return () => (drawn ??= secretOf(encodeBase64Url((entropy ?? webEntropy()).bytes(32))))
}

/** Tells the issuer of each event. */
const auditOf = (audit: AuditPort, issuer: string): AuditPort => ({
  record: (events) => audit.record(() => events().map((event) => ({ ...event, issuer }))),
})

/** Tells the issuer of each trail. */
const trailsOf = (trails: TrailPort, issuer: string): TrailPort => ({
  record: (trail, refused) => trails.record(() => ({ ...trail(), issuer }), refused),
})

/** Counts the requests of one issuer apart from those of others. */
const limiterOf = (limiter: LimiterPort, name: string): LimiterPort => ({
  take: (of, sender, millis) => limiter.take(of, inPartition(sender, name), millis),
})

/** Tells of messages by the locators that they are stored under. */
const outboxOf = (outbox: OutboxPort, name: string): OutboxPort => ({
  written: (messages) => outbox.written(messages.map((each) => ({ ...each, locator: inPartition(each.locator, name) }))),
})

/** Makes the key of one issuer when it is first needed. */
const keyOf = (name: string, own: Secret | undefined, unnamedRows: boolean, accountKey: () => Secret): (() => Secret) => {
  let key = own
  return () => (key ??= unnamedRows ? accountKey() : secretOf(`${accountKey().reveal()} ${name}`))
}

/** Makes the parts of one issuer: its own settings and ports, and its part of those that it shares. */
export const ownParts = (
  { name, people, unnamedRows = false, ...own }: FoundIssuer,
  shared: Partial<ProviderOptions & ProviderPorts>,
  { common: { compositionOf }, accountKey, lift, features: others, grants: otherGrants }: OwnMeans,
): OwnParts => {
  const given = { ...shared, ...own }
  const { features = others, grants = otherGrants } = given
  const chosen = { features, grants }
  const mark = unnamedRows ? "" : name
  const { accountKey: _, ...rest } = given
  const { tokens, audit, trails, limiter, outbox } = given
  // A value that is no store is refused with the other ports.
  const isStore = typeof tokens === "object" && tokens !== null
  const partition = {
    name: mark,
    people: people ?? (own.authenticator === undefined ? everybody : name),
    ...(isStore && { kinds: rowKindsAt(compositionOf(chosen, [])) }),
  }
  // Ports that are missing are refused by name when the provider is made.
  const options = {
    ...rest,
    tokens: isStore ? partitioned(tokens, partition) : tokens,
    ...(audit && { audit: auditOf(audit, name) }),
    ...(trails && { trails: trailsOf(trails, name) }),
    ...(limiter && { limiter: limiterOf(limiter, mark) }),
    ...(outbox && { outbox: outboxOf(outbox, mark) }),
    ...(own.accountKey === undefined ? {} : { accountKey: own.accountKey }),
  } as ProviderOptions & ProviderPorts
  return {
    options,
    chosen,
    tokens: isStore ? new LiftedPart(partOf(tokens, partition), lift) : undefined,
    accountKey: keyOf(name, own.accountKey, unnamedRows, accountKey),
  }
}

/** Makes the handlers of one issuer's messages. */
export const ownDeliveries = (
  { options, chosen, accountKey }: OwnParts,
  { compositionOf }: Pick<Common, "compositionOf">,
): Readonly<Record<string, DeliveryHandler>> => {
  const { issuer, clients, signer, tokens, outbound, jwts, entropy, audit, pairwiseSalt, rulesOff, clock = webClock } = options
  const given = {
    issuer,
    clients,
    signer,
    tokens,
    outbound,
    jwts,
    entropy,
    audit,
    accountKey: accountKey(),
    pairwiseSalt,
    rulesOff,
    now: () => Math.floor(clock() / 1000),
  }
  return deliveriesAt(compositionOf(chosen, []), given, options)
}
