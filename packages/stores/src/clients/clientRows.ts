import type { Client, ClientMetadata, Instant } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import type { KeptSecret } from "./sealedSecrets.ts"

/** The origin of a client or a person: the configuration file, or the command line. */
export type Origin = "config" | "command"

/** A client as it is stored. The metadata holds no secret. */
export interface ClientRow extends KeptSecret {
  readonly clientId: string
  readonly metadata: ClientMetadata
  readonly origin: Origin
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Reads and changes stored clients. Every change counts up the clients' revision, which is how other processes notice it. */
export interface ClientRows {
  readonly find: (clientId: string) => Awaitable<ClientRow | undefined>
  /** By client_id. */
  readonly all: () => Awaitable<ReadonlyArray<ClientRow>>
  /** Clients after a client_id, in the same order, so many at most; not for a database whose reads leave the event loop free. */
  readonly page?: (after: string, most: number) => ReadonlyArray<ClientRow>
  /** False when the client exists. */
  readonly insert: (row: ClientRow) => Awaitable<boolean>
  /** Inserts or replaces a row and keeps its creation time and origin. Reports whether the row existed. */
  readonly put: (row: ClientRow) => Awaitable<boolean>
  /** Replaces what is kept of a secret by something else of the same secret, unless it was changed meanwhile. */
  readonly rehash: (clientId: string, before: string, after: string) => Awaitable<void>
  /** Number of clients that were removed. */
  readonly remove: (clientIds: ReadonlyArray<string>) => Awaitable<number>
  /** Writes what a configuration file declares and removes what it no longer does, together. */
  readonly agree: (written: ReadonlyArray<ClientRow>, removed: ReadonlyArray<string>) => Awaitable<void>
}

/** A client ready for use, with what is kept of its secret. */
export interface CachedClient extends KeptSecret {
  readonly client: Client
}

/** Clients that were read lately, and ids that were found to be nobody's: so both are answered in the same time. */
export interface ClientCache {
  readonly find: (clientId: string) => Awaitable<CachedClient | undefined>
  /** Judges whether a slow hash is kept of any client's secret. */
  readonly anySlow: () => Awaitable<boolean>
  /** Judges whether any client that is not disabled may send unsigned request objects. */
  readonly anyUnsigned: () => Awaitable<boolean>
}

/**
 * The condition, in SQL, of a client that is not disabled and may send unsigned request objects. Metadata is kept as JSON without spaces, in
 * which no text can hold a quote that is not escaped.
 */
export const mayBeUnsigned = `metadata LIKE '%"request_object_signing_alg":"none"%' AND metadata NOT LIKE '%"disabled":true%'`
