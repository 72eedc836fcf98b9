import type { Client, ClientMetadata, Instant } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import type { KeptSecret } from "./sealedSecrets.ts"

/** The origin of a client or a person: the configuration file, or the command line. */
export type Origin = "config" | "command"

/** A stored client. The metadata contains no secret. */
export interface ClientRow extends KeptSecret {
  readonly clientId: string
  readonly metadata: ClientMetadata
  readonly origin: Origin
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Reads and changes stored clients. Every change increments the clients' revision, by which other processes notice it. */
export interface ClientRows {
  readonly find: (clientId: string) => Awaitable<ClientRow | undefined>
  /** Lists every client, ordered by client_id. */
  readonly all: () => Awaitable<ReadonlyArray<ClientRow>>
  /** Lists at most `most` clients after a client_id, in the same order. Databases with asynchronous reads leave it out. */
  readonly page?: (after: string, most: number) => ReadonlyArray<ClientRow>
  /** Inserts a row. Returns false if the client exists. */
  readonly insert: (row: ClientRow) => Awaitable<boolean>
  /** Inserts or replaces a row and keeps its creation time and origin. Reports whether the row existed. */
  readonly put: (row: ClientRow) => Awaitable<boolean>
  /** Replaces the stored form of a secret by another form of the same secret, unless it has changed meanwhile. */
  readonly rehash: (clientId: string, before: string, after: string) => Awaitable<void>
  /** Removes clients and returns the number removed. */
  readonly remove: (clientIds: ReadonlyArray<string>) => Awaitable<number>
  /** Writes the clients that a configuration file declares and removes those that it no longer declares, in one transaction. */
  readonly agree: (written: ReadonlyArray<ClientRow>, removed: ReadonlyArray<string>) => Awaitable<void>
}

/** A client ready for use, with the stored form of its secret. */
export interface CachedClient extends KeptSecret {
  readonly client: Client
}

/** Caches recently read clients and ids that belong to no client, so that both are answered in the same time. */
export interface ClientCache {
  readonly find: (clientId: string) => Awaitable<CachedClient | undefined>
  /** Reports whether any client's secret is stored as a slow hash. */
  readonly anySlow: () => Awaitable<boolean>
  /** Reports whether any enabled client may send unsigned request objects. */
  readonly anyUnsigned: () => Awaitable<boolean>
}

/**
 * The SQL condition of an enabled client that may send unsigned request objects. Metadata is stored as JSON without spaces, in which no
 * text contains an unescaped quote.
 */
export const mayBeUnsigned = `metadata LIKE '%"request_object_signing_alg":"none"%' AND metadata NOT LIKE '%"disabled":true%'`
