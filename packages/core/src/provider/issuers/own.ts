import { type Secret, secretOf } from "../../model/index.ts"
import {
  type AuditPort,
  type LiftedTokenStore,
  type LimiterPort,
  type OutboxPort,
  type TrailPort,
  atOnceWithin,
  inPartition,
  partitioned,
} from "../../ports/index.ts"
import { liftedPart } from "../../ports/liftedPart.ts"
import { partOf } from "../../ports/partition.ts"
import type { DeliveryHandler } from "../../settle/outbox.ts"
import { webClock } from "../../platform/timer.ts"
import { webEntropy } from "../../platform/webcrypto.ts"
import { encodeBase64Url } from "../../wire/index.ts"
import { type Chosen, rowKindsAt } from "../composition.ts"
import { deliveriesAt } from "../deliveries.ts"
import type { ProviderOptions, ProviderPorts } from "../options.ts"
import { patienceOf } from "../patience.ts"
import type { Common } from "../provider.ts"
import type { FoundIssuer, ProvidersOptions } from "./options.ts"

/** The individual parts of one of several issuers. */
export interface OwnParts {
  /** The options of its provider. */
  readonly options: ProviderOptions & ProviderPorts
  /** The features of its provider. */
  readonly chosen: Chosen
  /**
   * Its part of the token store as endpoints use it; undefined if the options have no valid store, which is reported with the other ports.
   */
  readonly tokens: LiftedTokenStore | undefined
  /** Returns the key of the hashes that represent accounts. It is derived from the shared key, so that hashes differ between issuers. */
  readonly accountKey: () => Secret
}

/** The name of the shared user directory, which no issuer can have. */
const everybody = "*"

/** The shared means from which the parts of issuers are created. */
export interface OwnMeans extends Chosen {
  readonly common: Common
  /** Returns the key from which the keys of issuers are derived; it is generated on first use. */
  readonly accountKey: () => Secret
}

/** Returns the shared key, and generates it once if there is none. */
export const drawnKey = ({ accountKey, entropy }: ProvidersOptions): (() => Secret) => {
  let drawn = accountKey
  return () => (drawn ??= secretOf(encodeBase64Url((entropy ?? webEntropy()).bytes(32))))
}

/** Adds the issuer to each audit event. */
const auditOf = (audit: AuditPort, issuer: string): AuditPort => ({
  record: (events) => audit.record(() => events().map((event) => ({ ...event, issuer }))),
})

/** Adds the issuer to each trail. */
const trailsOf = (trails: TrailPort, issuer: string): TrailPort => ({
  record: (trail, refused) => trails.record(() => ({ ...trail(), issuer }), refused),
})

/** Counts the requests of one issuer separately. */
const limiterOf = (limiter: LimiterPort, name: string): LimiterPort => ({
  take: (of, sender, millis) => limiter.take(of, inPartition(sender, name), millis),
})

/** Passes messages on with their stored locators. */
const outboxOf = (outbox: OutboxPort, name: string): OutboxPort => ({
  written: (messages) => outbox.written(messages.map((each) => ({ ...each, locator: inPartition(each.locator, name) }))),
})

/** Derives the key of one issuer on first use. */
const keyOf = (name: string, own: Secret | undefined, unnamedRows: boolean, accountKey: () => Secret): (() => Secret) => {
  let key = own
  return () => (key ??= unnamedRows ? accountKey() : secretOf(`${accountKey().reveal()} ${name}`))
}

/** Creates the parts of one issuer: its own settings and ports, and its part of the shared ones. */
export const ownParts = (
  { name, people, unnamedRows = false, ...own }: FoundIssuer,
  shared: Partial<ProviderOptions & ProviderPorts>,
  { common: { compositionOf, lifted }, accountKey, features: others, grants: otherGrants }: OwnMeans,
): OwnParts => {
  const given = { ...shared, ...own }
  const { features = others, grants = otherGrants } = given
  const chosen = { features, grants }
  const patience = patienceOf(given)
  const mark = unnamedRows ? "" : name
  const { accountKey: _, ...rest } = given
  const { tokens, audit, trails, limiter, outbox } = given
  // An invalid store is reported with the other ports.
  const isStore = typeof tokens === "object" && tokens !== null
  const partition = {
    name: mark,
    people: people ?? (own.authenticator === undefined ? everybody : name),
    ...(isStore && { kinds: rowKindsAt(compositionOf(chosen, [])) }),
  }
  // Missing ports are reported when the provider is created.
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
    tokens: isStore
      ? liftedPart(
          partOf(tokens, partition),
          lifted("lift", tokens, () => atOnceWithin(patience), patience),
        )
      : undefined,
    accountKey: keyOf(name, own.accountKey, unnamedRows, accountKey),
  }
}

/** Creates the handlers of one issuer's messages. */
export const ownDeliveries = (
  { options, chosen, accountKey }: OwnParts,
  { compositionOf }: Pick<Common, "compositionOf">,
): Readonly<Record<string, DeliveryHandler>> => {
  const { issuer, clients, signer, tokens, outbound, jwts, entropy, audit, pairwiseSalt, rulesOff, timer, clock = webClock } = options
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
    timer,
    now: () => Math.floor(clock() / 1000),
  }
  return deliveriesAt(compositionOf(chosen, []), given, options)
}
