import type { KeyEncryption } from "@postern/core/jose"
import type { ClientMetadata, Instant } from "@postern/core/model"
import type { ClientStorePort } from "@postern/core/ports"
import { inSeconds } from "@postern/core/options"
import { randomBytes } from "node:crypto"
import { type Awaitable, after } from "@postern/core/ports"
import type { Declared } from "../declared.ts"
import { AlreadyExists } from "../errors.ts"
import type { DeclaredHashes } from "../secrets/declaredSecrets.ts"
import type { Hashing } from "../secrets/hashing.ts"
import { clientSecrets } from "./clientSecrets.ts"
import type { ClientCache, ClientRow, ClientRows, Origin } from "./clientRows.ts"
import { declare, isAsDeclared, recall } from "./declare.ts"
import { type KeptSecret, noSecret, sealedSecrets, signsWithSecret } from "./sealedSecrets.ts"
import { isWeakSecret } from "./strength.ts"

/** Parts of a client store. */
export interface ClientStoreOptions {
  /** Hashes client secrets. */
  readonly hashing: Hashing
  /** Seals the secrets of clients that sign with them. Such a client cannot be registered without it. */
  readonly encryption?: KeyEncryption | undefined
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /** False if another process compares declared secrets with their rows. Default: true. */
  readonly confirms?: boolean | undefined
}

/** A client as the operator sees it: its metadata without the secret. */
export interface RegisteredClient {
  /** The metadata, without the secret. */
  readonly metadata: ClientMetadata
  /** The origin of the client. A removed client of origin `config` is added again at the next start. */
  readonly origin: Origin
  /** True if a secret is stored. */
  readonly hasSecret: boolean
  /** The time of registration. */
  readonly createdAt: Instant
  /** The time of the last change. */
  readonly updatedAt: Instant
}

/** The registered clients. */
export interface ClientRegistry extends ClientStorePort {
  /**
   * Registers a client. A strong secret is stored as a digest, a weak one as a slow hash. The secret of a client that signs with it is
   * sealed. Fails with {@link AlreadyExists}, or with a RangeError if a secret must be sealed and there is no key-encryption key.
   */
  readonly add: (metadata: ClientMetadata) => Promise<void>
  /** Registers a client or replaces it completely, including its secret. A client of origin `config` keeps that origin. */
  readonly put: (metadata: ClientMetadata) => Promise<"added" | "replaced">
  /** Lists every client, ordered by client_id. */
  readonly list: () => Promise<ReadonlyArray<RegisteredClient>>
  /** Finds a registered client with its metadata. */
  readonly show: (clientId: string) => Promise<RegisteredClient | undefined>
  /** Removes a client. Reports whether it existed. */
  readonly remove: (clientId: string) => Promise<boolean>
  /**
   * Applies the configuration file. Declared clients are added or replaced, clients that it no longer declares are removed, and clients
   * that the command line added stay. A declared weak secret is valid immediately. It is compared with the hash in its row afterwards, and
   * counts as unchanged until then.
   */
  readonly upsertFromConfig: (declared: ReadonlyArray<ClientMetadata>) => Promise<Declared>
  /**
   * Reports whether a stored client matches its declaration. If it is not declared, reports whether it does not come from the file. Returns
   * false if the comparison needs a slow hash or a sealed secret.
   */
  readonly agrees: (clientId: string, declared: ClientMetadata | undefined) => Awaitable<boolean>
  /** Returns the slow hashes of weak declared secrets, for `recallFromConfig` of other processes. */
  readonly declaredHashes: () => DeclaredHashes
  /** Loads weak declared secrets into memory without writing. Each is valid as long as its row holds the given hash. */
  readonly recallFromConfig: (declared: ReadonlyArray<ClientMetadata>, hashes: DeclaredHashes) => void
}

/** Generates a client secret of 256 random bits, as 43 characters of base64url. A draw that looks like words is repeated. */
export const generateClientSecret = (): string => {
  const drawn = randomBytes(32).toString("base64url")
  return isWeakSecret(drawn) ? generateClientSecret() : drawn
}

/** Makes the client registry of a database's rows. */
export const clientRegistry = (
  rows: ClientRows,
  cache: ClientCache,
  { hashing, encryption, now: clock, confirms }: ClientStoreOptions,
): ClientRegistry => {
  const now = inSeconds("clientRegistry", clock)
  const secrets = clientSecrets({ hashing, now, rehash: rows.rehash, anySlow: cache.anySlow, confirms })
  const sealed = sealedSecrets(encryption)

  const kept = async (metadata: ClientMetadata): Promise<KeptSecret> => {
    const { client_id: clientId, client_secret: secret } = metadata
    if (secret === undefined) return noSecret
    return signsWithSecret(metadata)
      ? { secretHash: undefined, secretSealed: await sealed.seal(clientId, secret) }
      : { secretHash: await secrets.keep(clientId, secret), secretSealed: undefined }
  }
  const rowOf = async (metadata: ClientMetadata): Promise<ClientRow> => {
    const { client_secret: _secret, ...open } = metadata
    const at = now()
    return { clientId: metadata.client_id, metadata: open, ...(await kept(metadata)), origin: "command", createdAt: at, updatedAt: at }
  }

  return {
    find: (clientId) => after(cache.find(clientId), (found) => found?.client),
    verifySecret: (clientId, secret, address) =>
      after(cache.find(clientId), (found) => secrets.judge(clientId, found?.secretHash, secret.reveal(), address)),
    secretOf: (clientId) =>
      after(cache.find(clientId), (found) => (found?.secretSealed === undefined ? undefined : sealed.open(clientId, found.secretSealed))),
    unsignedRequestObjects: cache.anyUnsigned,
    add: async (metadata) => {
      if (!(await rows.insert(await rowOf(metadata)))) throw new AlreadyExists(`there is a client ${metadata.client_id} already`)
    },
    put: async (metadata) => ((await rows.put(await rowOf(metadata))) ? "replaced" : "added"),
    list: async () => (await rows.all()).map(shown),
    show: async (clientId) => {
      const row = await rows.find(clientId)
      return row && shown(row)
    },
    remove: async (clientId) => (await rows.remove([clientId])) > 0,
    upsertFromConfig: (declared) => declare(rows, { secrets, sealed, now }, declared),
    agrees: (clientId, declared) =>
      after(rows.find(clientId), (row) =>
        declared === undefined ? row?.origin !== "config" : row !== undefined && isAsDeclared(row, declared),
      ),
    declaredHashes: secrets.declared.hashes,
    recallFromConfig: (declared, hashes) => recall(secrets.declared, declared, hashes),
  }
}

const shown = ({ metadata, origin, secretHash, secretSealed, createdAt, updatedAt }: ClientRow): RegisteredClient => ({
  metadata,
  origin,
  hasSecret: secretHash !== undefined || secretSealed !== undefined,
  createdAt,
  updatedAt,
})
