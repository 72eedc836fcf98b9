import { type Secret, secretOf } from "../../model/index.ts"
import {
  type AuditPort,
  type LimiterPort,
  type OutboxPort,
  type TokenStorePort,
  type TrailPort,
  inPartition,
  partitioned,
} from "../../ports/index.ts"
import type { DeliveryHandler } from "../../settle/outbox.ts"
import { webClock } from "../../platform/timer.ts"
import { webEntropy } from "../../platform/webcrypto.ts"
import { encodeBase64Url } from "../../wire/index.ts"
import { type Chosen, rowKindsAt } from "../composition.ts"
import { deliveriesAt } from "../deliveries.ts"
import type { ProviderOptions, ProviderPorts } from "../options.ts"
import type { Common } from "../provider.ts"
import type { IssuerOptions, ProvidersOptions } from "./options.ts"

/** The parts that one issuer has of what several share. */
export interface OwnParts {
  /** The options of its provider. */
  readonly options: ProviderOptions & ProviderPorts
  /** The key of the hashes that stand for accounts: made of the one that issuers share, so that no hash is the same at two of them. */
  readonly accountKey: () => Secret
  /** The handlers of its messages, made when the first is delivered. */
  readonly deliveries: () => Readonly<Record<string, DeliveryHandler>>
}

/** The name of the people that issuers share: no issuer can be called so. */
const everybody = "*"

/** The means that the parts of all issuers are made with. */
export interface OwnMeans extends Chosen {
  readonly common: Common
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

const tokensOf = (tokens: TokenStorePort, name: string, people: string, chosen: Chosen, { compositionOf }: Common): TokenStorePort =>
  // A value that is no store is refused with the other ports.
  typeof tokens === "object" && tokens !== null
    ? partitioned(tokens, { name, people, kinds: rowKindsAt(compositionOf(chosen, [])) })
    : tokens

/** Makes the parts of one issuer: its own settings and ports, and its part of those that it shares. */
export const ownParts = (
  name: string,
  { people, unnamedRows = false, ...own }: IssuerOptions,
  shared: Partial<ProviderOptions & ProviderPorts>,
  { common, accountKey, features: others, grants: otherGrants }: OwnMeans,
): OwnParts => {
  const given = { ...shared, ...own }
  const { features = others, grants = otherGrants } = given
  const mark = unnamedRows ? "" : name
  const peopleOf = people ?? (own.authenticator === undefined ? everybody : name)
  const { accountKey: _, ...rest } = given
  const { tokens, audit, trails, limiter, outbox, clock = webClock } = given
  let key: Secret | undefined = own.accountKey
  // Ports that are missing are refused by name when the provider is made.
  const options = {
    ...rest,
    tokens: tokens && tokensOf(tokens, mark, peopleOf, { features, grants }, common),
    ...(audit && { audit: auditOf(audit, name) }),
    ...(trails && { trails: trailsOf(trails, name) }),
    ...(limiter && { limiter: limiterOf(limiter, mark) }),
    ...(outbox && { outbox: outboxOf(outbox, mark) }),
  } as ProviderOptions & ProviderPorts
  let handlers: Readonly<Record<string, DeliveryHandler>> | undefined
  const ownKey = (): Secret => (key ??= unnamedRows ? accountKey() : secretOf(`${accountKey().reveal()} ${name}`))
  return {
    options: own.accountKey === undefined ? options : { ...options, accountKey: own.accountKey },
    accountKey: ownKey,
    deliveries: () => {
      const { issuer, clients, signer, outbound, jwts, entropy, rulesOff } = options
      handlers ??= deliveriesAt(common.compositionOf({ features, grants }, []), {
        issuer,
        clients,
        signer,
        tokens: options.tokens,
        outbound,
        jwts,
        entropy,
        audit: options.audit,
        accountKey: ownKey(),
        rulesOff,
        now: () => Math.floor(clock() / 1000),
      })
      return handlers
    },
  }
}
