import type { KeyEncryption, SigningKeyStore } from "@postern/core/jose"
import { defaultLifetimes, type Instant, type Lifetimes, type RowKind } from "@postern/core/model"
import {
  argon2id,
  type AuditOptions,
  auditLimits,
  type ClientRegistry,
  type HashCost,
  type Sweep,
  type TrailOptions,
} from "@postern/stores"
import { auditedClients, auditedKeys, kinds as ownKinds } from "@postern/stores/rows"
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

/** Options of the stores; only the dialect has no default. */
export interface KyselyOptions {
  /** The database that Kysely speaks to; `mysql` is MariaDB too. */
  readonly dialect: Flavor
  /** The beginning of the name of every table; `postern_` when not given. */
  readonly prefix?: string
  /** The kinds of row that are kept: `rowKindsOf({ features })`; those of core when not given. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Lifetimes of what clients are given, where their metadata states none. */
  readonly lifetimes?: Lifetimes
  /** The cost of hashing the secrets of clients. */
  readonly hashing?: HashCost
  /** Seals the secrets of clients that sign with them (`client_secret_jwt`); such a client cannot be registered without. */
  readonly encryption?: KeyEncryption | undefined
  /** The trails that are kept. */
  readonly trails?: TrailOptions
  /** The audit events that are kept; with `store`, changes of clients and keys by operators are told as well. */
  readonly audit?: AuditOptions
  /** Whole seconds since 1970; the system's clock when not given. */
  readonly now?: () => Instant
}

/** Postern's stores in an application's own database. Kysely stays the application's: these stores neither open nor close it. */
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
  /** Counts requests together with other processes. */
  readonly requestCounts: KyselyRequestCounts
  /** Tells what an acknowledged commit outlives. */
  readonly durability: Durability
  /** One slice of sweeping every table; `startSweeping` calls it again and again. */
  readonly sweep: (now?: Instant) => Promise<Sweep>
}

/**
 * Keeps Postern's rows in a database that an application reaches through Kysely. Makes the tables that are missing, from the descriptions of rows. Rejects with
 * `DatabaseRefused` for a server that will not do.
 */
export const kyselyStores = async <DB>(kysely: Kysely<DB>, options: KyselyOptions): Promise<KyselyStores> => {
  const { dialect, prefix = "postern_", kinds = defaultKinds, lifetimes = defaultLifetimes, encryption } = options
  const { now = () => Math.floor(Date.now() / 1000) } = options
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(prefix))
    throw new TypeError("kyselyStores: prefix must be 1 to 30 lower case letters, digits and underscores, a letter first")
  // Statements are written here and name tables of their own: the application's types say nothing of them.
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
