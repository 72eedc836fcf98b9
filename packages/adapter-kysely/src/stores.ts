import type { KeyEncryption, SigningKeyStore } from "@postern/core/jose"
import { defaultLifetimes, type Instant, type Lifetimes, type RowKind } from "@postern/core/model"
import { inSeconds, type MemberKinds, partFaults, refuseFaults } from "@postern/core/options"
import {
  argon2id,
  type AuditOptions,
  auditLimits,
  type ClientRegistry,
  type HashCost,
  type Sweep,
  type TrailOptions,
} from "@postern/stores"
import { auditedClients, auditedKeys, kinds as ownKinds, storesFaults, storesKinds, systemClock } from "@postern/stores/rows"
import type { Kysely } from "kysely"
import { auditOn, type KyselyAudit } from "./audit.ts"
import { clientsOn } from "./clients.ts"
import { type Durability, durabilityOf } from "./durability.ts"
import type { Flavor } from "./flavor.ts"
import { besideOf, defaultKinds, open } from "./open.ts"
import { type KyselyRequestCounts, requestCountsOn } from "./requestCounts.ts"
import { signingKeysOn } from "./signingKeys.ts"
import { type Table, tableOf } from "./table.ts"
import { type KyselyTokenStore, tokenStoreOn } from "./tokenStore.ts"
import { type KyselyTrails, trailsOn } from "./trails.ts"

/** Options of the stores; only `dialect` is required. */
export interface KyselyOptions {
  /** The SQL dialect; `mysql` includes MariaDB. */
  readonly dialect: Flavor
  /** The prefix of every table name. Default: `postern_`. */
  readonly prefix?: string
  /** The kinds of row to store, from `rowKindsOf({ features })`. Default: those of core. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Default lifetimes, for clients whose metadata states none. */
  readonly lifetimes?: Lifetimes
  /** The cost of hashing client secrets. */
  readonly hashing?: HashCost
  /** Encrypts the secrets of clients that sign with them (`client_secret_jwt`). Such clients cannot be registered without it. */
  readonly encryption?: KeyEncryption | undefined
  /** Options of stored trails. */
  readonly trails?: TrailOptions
  /** Options of stored audit events; with `store`, changes of clients and keys by operators are recorded as well. */
  readonly audit?: AuditOptions
  /** The time in whole seconds since 1970. Default: the system clock. */
  readonly now?: () => Instant
}

const { workers: _workers, ...shared } = storesKinds

const optionKinds: MemberKinds<KyselyOptions> = { ...shared, dialect: "text", prefix: "text?" }

const flavors: ReadonlyArray<Flavor> = ["mysql", "postgres", "sqlite"]

/** Postern's stores in an application's own database. The application owns the Kysely instance; the stores neither open nor close it. */
export interface KyselyStores {
  /** The token store. */
  readonly tokens: KyselyTokenStore
  /** The registered clients. */
  readonly clients: ClientRegistry
  /** The signing keys. */
  readonly keys: SigningKeyStore
  /** The trails of requests, for `createProvider({ trails })`. */
  readonly trails: KyselyTrails
  /** The audit events, for `createProvider({ audit })`. */
  readonly audit: KyselyAudit
  /** The request counter, shared with other processes. */
  readonly requestCounts: KyselyRequestCounts
  /** The durability of acknowledged commits. */
  readonly durability: Durability
  /** Deletes one slice of expired rows in every table; `startSweeping` calls it repeatedly. */
  readonly sweep: (now?: Instant) => Promise<Sweep>
}

/**
 * Stores Postern's rows in a database that an application accesses through Kysely. Creates missing tables from the descriptions of rows.
 * Rejects with `DatabaseRefused` for an unsuitable server.
 */
export const kyselyStores = async <DB>(kysely: Kysely<DB>, options: KyselyOptions): Promise<KyselyStores> => {
  refuseFaults("kyselyStores", partFaults("kysely", kysely, { transaction: "function" }, "Kysely"), ...storesFaults(options, optionKinds))
  const { dialect, prefix = "postern_", kinds = defaultKinds, lifetimes = defaultLifetimes, encryption } = options
  refuseFaults("kyselyStores", flavors.includes(dialect) ? undefined : `dialect: must be one of ${flavors.join(", ")}`)
  const now = inSeconds("kyselyStores", options.now ?? systemClock)
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(prefix))
    throw new TypeError("kyselyStores: prefix: must be 1 to 30 lower case letters, digits and underscores, a letter first")
  // These statements use tables of their own, which are not in the application's types.
  const database = await open(kysely as unknown as Kysely<unknown>, dialect, prefix, kinds)
  const { speech } = database
  const known = new Map<string, Table>(kinds.map((kind) => [kind.name, tableOf(kind, prefix, speech)]))
  const of = (name: string): Table => {
    const table = known.get(name)
    if (table === undefined) throw new Error(`the store keeps no table ${name}`)
    return table
  }
  const beside = besideOf(prefix)
  const tokens = tokenStoreOn(database, { of, speech }, kinds, beside.turns)
  const requestCounts = requestCountsOn(database, beside.requestCounts)
  const hashing = argon2id(options.hashing)
  const trails = trailsOn(database, beside.trails, options.trails)
  const audit = auditOn(database, beside.audit, auditLimits(options.audit))
  const clients = clientsOn(database, tableOf(ownKinds.clients, prefix, speech), beside.counts, { hashing, encryption, now, lifetimes })
  const keys = signingKeysOn(database, tableOf(ownKinds.signingKeys, prefix, speech), beside.turns)
  const isTold = options.audit?.store === true
  return {
    tokens,
    clients: isTold ? auditedClients(clients, audit, now) : clients,
    keys: isTold ? auditedKeys(keys, audit, now) : keys,
    trails,
    audit,
    requestCounts,
    durability: await durabilityOf(database),
    sweep: async (at = now()) => {
      const { removed, more } = await tokens.sweep(at)
      const others = (await requestCounts.sweep(at)) + (await trails.sweep(at)) + (await audit.sweep(at))
      return { removed: removed + others, more: more || others > 0 }
    },
  }
}
