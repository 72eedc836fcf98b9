import type { KeyEncryption } from "@postern/core/jose"
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
import { type KeptSecret, noSecret, sealedSecrets, signsWithSecret } from "./sealedSecrets.ts"
import { verifiedSecrets } from "./verifiedSecrets.ts"

/** What a client store works with. */
export interface ClientStoreOptions {
  /** Lifetimes of what a client is given, where its metadata states none. */
  readonly lifetimes: Lifetimes
  readonly hashing: Hashing
  /** Seals the secrets of clients that sign with them; such a client cannot be registered without. */
  readonly encryption?: KeyEncryption | undefined
  readonly now: () => Instant
  /** Milliseconds within which what other processes change is noticed; at once when not given. */
  readonly noticeEvery?: number | undefined
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
  /**
   * Registers a client. Its secret, where it has one, is hashed, or sealed for one that signs with it. Fails with {@link AlreadyExists},
   * and with a RangeError where a secret has to be sealed and there is no key for that.
   */
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
   * removed, what the command line added stays. A secret is hashed or sealed again only when it changed.
   */
  readonly upsertFromConfig: (declared: ReadonlyArray<ClientMetadata>) => Promise<Declared>
}

/** A client secret of 256 random bits, 43 characters of base64url. */
export const generateClientSecret = (): string => randomBytes(32).toString("base64url")

/** Keeps clients in a database. */
export const sqliteClientStore = (
  database: Database,
  { lifetimes, hashing, encryption, noticeEvery, now }: ClientStoreOptions,
): SqliteClientStore => {
  const rows = clientRows(database, () => cache.forget())
  const verify = verifiedSecrets({ hashing, now })
  const sealed = sealedSecrets(encryption)
  const cache = clientCache(database, (row): Client => clientFrom(row.metadata, lifetimes), rows.find, noticeEvery)

  const kept = async (metadata: ClientMetadata): Promise<KeptSecret> => {
    const { client_id: clientId, client_secret: secret } = metadata
    if (secret === undefined) return noSecret
    return signsWithSecret(metadata)
      ? { secretHash: undefined, secretSealed: await sealed.seal(clientId, secret) }
      : { secretHash: await hashing.hash(secret), secretSealed: undefined }
  }
  const rowOf = async (metadata: ClientMetadata): Promise<ClientRow> => {
    const { client_secret: _secret, ...open } = metadata
    const at = now()
    return { clientId: metadata.client_id, metadata: open, ...(await kept(metadata)), origin: "command", createdAt: at, updatedAt: at }
  }

  return {
    find: (clientId) => guarded("read a client", () => cache.find(clientId)?.client),
    verifySecret: (clientId, secret) =>
      guarded("read a client", () => {
        const secretHash = cache.find(clientId)?.secretHash
        return secretHash === undefined ? false : verify(clientId, secretHash, secret.reveal())
      }),
    secretOf: (clientId) =>
      guarded("read a client", () => {
        const secretSealed = cache.find(clientId)?.secretSealed
        return secretSealed === undefined ? undefined : sealed.open(clientId, secretSealed)
      }),
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
    upsertFromConfig: (declared) => declare(rows, { hashing, verify, sealed, now }, declared),
  }
}

const shown = ({ metadata, origin, secretHash, secretSealed, createdAt, updatedAt }: ClientRow): RegisteredClient => ({
  metadata,
  origin,
  hasSecret: secretHash !== undefined || secretSealed !== undefined,
  createdAt,
  updatedAt,
})
