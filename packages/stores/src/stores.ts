import type { KeyEncryption, SigningKeyStore } from "@postern/core/jose"
import type { Sweep } from "@postern/core/memory"
import type { Instant, Lifetimes, RowKind, Secret } from "@postern/core/model"
import type { Awaitable, RequestCountsPort, TokenStorePort } from "@postern/core/ports"
import type { Audit, AuditOptions } from "./audit/audit.ts"
import type { ClientRegistry } from "./clients/clientStore.ts"
import type { StoreUnavailable } from "./errors.ts"
import type { HashCost, Hashing } from "./secrets/hashing.ts"
import type { People } from "./people/authenticator.ts"
import type { TrailOptions, Trails } from "./trails/trails.ts"

export type { Sweep } from "@postern/core/memory"

/** Options of the stores of any database; everything has a default. */
export interface StoresOptions {
  /** Lifetimes of what clients are given, where their metadata states none. */
  readonly lifetimes?: Lifetimes
  /** The trails that are kept. */
  readonly trails?: TrailOptions
  /** The audit events that are kept. */
  readonly audit?: AuditOptions
  /** The cost of hashing passwords and secrets. */
  readonly hashing?: HashCost
  /** Seals the secrets of clients that sign with them (`client_secret_jwt`); such a client cannot be registered without. */
  readonly encryption?: KeyEncryption | undefined
  /** The kinds of row that are kept: `rowKindsOf({ features })`; those of core when not given. The tables of others are made from their descriptions. */
  readonly kinds?: ReadonlyArray<RowKind>
  /**
   * Number of worker processes of one server, where this is one of them: it takes its share of the bounds on hashing, and leaves it to the
   * server's main process to compare declared secrets with their rows. Left out for a process that is a server by itself.
   */
  readonly workers?: number | undefined
  /** Whole seconds since 1970; the system's clock when not given. */
  readonly now?: () => Instant
}

/** Every store on one database, whichever it is. */
export interface Stores {
  /** The database's file, or its URL without a password. */
  readonly place: string
  /** The token store. */
  readonly tokens: TokenStorePort
  /** The registered clients. */
  readonly clients: ClientRegistry
  /** The people who may sign in. */
  readonly people: People
  /** The signing keys. */
  readonly keys: SigningKeyStore
  /** The store of trails. */
  readonly trails: Trails
  /** The store of audit events. */
  readonly audit: Audit
  /**
   * The key that accounts are hashed with in audit events and cookies of known devices: drawn once for each database. Rejects with
   * `KeyUnreadable` where it is sealed and cannot be opened.
   */
  readonly accountKey: () => Promise<Secret>
  /** Counts requests together with other processes; left out if each process counts for itself. */
  readonly requestCounts?: RequestCountsPort
  /** Number of secrets of a kind that are hashed, and that wait to be. */
  readonly hashLoad: Hashing["load"]
  /** One slice of sweeping every table, a few milliseconds long. */
  readonly sweep: (now?: Instant) => Awaitable<Sweep>
  /** To be called once a provider is set up: from then on no call here keeps the event loop waiting for a lock. */
  readonly serving: () => void
  /** The failure of the last write, until one succeeds again; undefined for stores that cannot tell without being asked. */
  readonly failing: () => StoreUnavailable | undefined
  /** Writes what waits and closes the database. Closing twice changes nothing. */
  readonly close: () => Awaitable<void>
}
