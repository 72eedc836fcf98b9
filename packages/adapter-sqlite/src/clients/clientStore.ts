import type { Client, ClientMetadata, Instant, Lifetimes } from "@postern/core/model"
import { clientFrom } from "@postern/core/model"
import type { ClientStorePort } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { randomBytes } from "node:crypto"
import { AlreadyExists, guarded } from "../database/errors.ts"
import type { Declared } from "../declared.ts"
import type { Hashing } from "../hashing.ts"
import { clientCache } from "./clientCache.ts"
import { type ClientRow, type Origin, clientRows } from "./clientRows.ts"
import { declare } from "./declare.ts"
import { verifiedSecrets } from "./verifiedSecrets.ts"

/** What a client store works with. */
export interface ClientStoreOptions {
  /** Lifetimes of what a client is given, where its metadata states none. */
  readonly lifetimes: Lifetimes
  readonly hashing: Hashing
  readonly now: () => Instant
}

/** A client as the operator sees it: its metadata without the secret. */
export interface RegisteredClient {
  readonly metadata: ClientMetadata
  /** `config` for one that the configuration file declares; it comes back at the next start when it is removed here. */
  readonly origin: Origin
  readonly hasSecret: boolean
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Registered clients in a SQLite database. */
export interface SqliteClientStore extends ClientStorePort {
  /** Registers a client; its secret, where it has one, is hashed. Fails with {@link AlreadyExists}. */
  readonly add: (metadata: ClientMetadata) => Promise<void>
  /** Registers a client or replaces it whole, secret included; a client the file declared stays the file's. */
  readonly put: (metadata: ClientMetadata) => Promise<"added" | "replaced">
  /** Every client, by client_id. */
  readonly list: () => ReadonlyArray<RegisteredClient>
  readonly show: (clientId: string) => RegisteredClient | undefined
  /** Whether there was one to remove. */
  readonly remove: (clientId: string) => boolean
  /**
   * Makes the store agree with the configuration file: what it declares is added or replaced, what it declared once and no longer does is
   * removed, what the command line added stays. A secret is hashed again only when it changed.
   */
  readonly upsertFromConfig: (declared: ReadonlyArray<ClientMetadata>) => Promise<Declared>
}

/** A client secret of 256 random bits, 43 characters of base64url. */
export const generateClientSecret = (): string => randomBytes(32).toString("base64url")

/** Keeps clients in a database. */
export const sqliteClientStore = (database: Database, { lifetimes, hashing, now }: ClientStoreOptions): SqliteClientStore => {
  const rows = clientRows(database, () => cache.forget())
  const verify = verifiedSecrets({ hashing, now })
  const cache = clientCache(database, (row): Client => clientFrom(row.metadata, lifetimes), rows.find)

  const rowOf = async (metadata: ClientMetadata): Promise<ClientRow> => {
    const { client_secret: secret, ...open } = metadata
    const secretHash = secret === undefined ? undefined : await hashing.hash(secret)
    return { clientId: metadata.client_id, metadata: open, secretHash, origin: "command", createdAt: now(), updatedAt: now() }
  }

  return {
    find: (clientId) => guarded("read a client", () => cache.find(clientId)?.client),
    verifySecret: (clientId, secret) =>
      guarded("read a client", () => {
        const secretHash = cache.find(clientId)?.secretHash
        return secretHash === undefined ? false : verify(clientId, secretHash, secret.reveal())
      }),
    secretOf: () => undefined,
    add: async (metadata) => {
      const row = await rowOf(metadata)
      if (!guarded("add a client", () => rows.insert(row))) throw new AlreadyExists(`there is a client ${metadata.client_id} already`)
    },
    put: async (metadata) => {
      const row = await rowOf(metadata)
      return guarded("replace a client", () => rows.put(row)) ? "replaced" : "added"
    },
    list: () => guarded("list clients", () => rows.all().map(shown)),
    show: (clientId) => {
      const row = guarded("read a client", () => rows.find(clientId))
      return row && shown(row)
    },
    remove: (clientId) => guarded("remove a client", () => rows.remove([clientId])) > 0,
    upsertFromConfig: (declared) => declare(rows, { hashing, verify, now }, declared),
  }
}

const shown = ({ metadata, origin, secretHash, createdAt, updatedAt }: ClientRow): RegisteredClient => ({
  metadata,
  origin,
  hasSecret: secretHash !== undefined,
  createdAt,
  updatedAt,
})
