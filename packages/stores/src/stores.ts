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

/** Options for the stores of any database. All have defaults. */
export interface StoresOptions {
  /** The lifetimes of tokens and codes, for clients whose metadata states none. */
  readonly lifetimes?: Lifetimes
  /** Options for storing trails. */
  readonly trails?: TrailOptions
  /** Options for storing audit events. */
  readonly audit?: AuditOptions
  /** The cost of hashing passwords and secrets. */
  readonly hashing?: HashCost
  /** Seals the secrets of clients that sign with them (`client_secret_jwt`). Such a client cannot be registered without it. */
  readonly encryption?: KeyEncryption | undefined
  /**
   * The kinds of row to store: `rowKindsOf({ features })`. Default: those of core. The tables of other kinds are made from their
   * descriptions.
   */
  readonly kinds?: ReadonlyArray<RowKind>
  /**
   * The number of worker processes, if this process is one of a server's workers. It then takes its share of the hashing limits and leaves
   * the comparison of declared secrets to the server's main process. Omit it for a process that is a server by itself.
   */
  readonly workers?: number | undefined
  /** Whole seconds since 1970. Default: the system clock. */
  readonly now?: () => Instant
}

/** Every store of one database, of any kind. */
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
   * Returns the key that hashes accounts in audit events and cookies of known devices. It is generated once per database. Rejects with
   * `KeyUnreadable` if it is sealed and cannot be opened.
   */
  readonly accountKey: () => Promise<Secret>
  /** Counts requests together with other processes. Left out if each process counts for itself. */
  readonly requestCounts?: RequestCountsPort
  /** Returns the number of running and waiting hashes of a kind. */
  readonly hashLoad: Hashing["load"]
  /** Sweeps one slice of every table, for a few milliseconds. */
  readonly sweep: (now?: Instant) => Awaitable<Sweep>
  /** Call this once a provider is set up. From then on, no operation blocks the event loop while it waits for a lock. */
  readonly serving: () => void
  /** Returns the failure of the last write, until one succeeds again. Undefined for stores that cannot tell without a query. */
  readonly failing: () => StoreUnavailable | undefined
  /** Writes the queued events and trails and closes the database. Closing twice has no effect. */
  readonly close: () => Awaitable<void>
}
