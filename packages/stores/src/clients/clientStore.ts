import type { KeyEncryption } from "@postern/core/jose"
import type { ClientMetadata, Instant } from "@postern/core/model"
import type { ClientStorePort } from "@postern/core/ports"
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
  /** Seals the secrets of clients that sign with them; such a client cannot be registered without. */
  readonly encryption?: KeyEncryption | undefined
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /** False where another process compares declared secrets with their rows; true when not given. */
  readonly confirms?: boolean | undefined
}

/** A client as the operator sees it: its metadata without the secret. */
export interface RegisteredClient {
  /** The metadata, without the secret. */
  readonly metadata: ClientMetadata
  /** `config` for one that the configuration file declares; it comes back at the next start when it is removed here. */
  readonly origin: Origin
  /** True if a secret is kept. */
  readonly hasSecret: boolean
  /** The time it was registered. */
  readonly createdAt: Instant
  /** The time it last changed. */
  readonly updatedAt: Instant
}

/** Registered clients. */
export interface ClientRegistry extends ClientStorePort {
  /**
   * Registers a client. Of its secret a digest is kept, of a weak one a slow hash, or it is sealed for one that signs with it. Fails with {@link AlreadyExists},
   * and with a RangeError where a secret has to be sealed and there is no key for that.
   */
  readonly add: (metadata: ClientMetadata) => Promise<void>
  /** Registers a client or replaces it whole, secret included; a client the file declared stays the file's. */
  readonly put: (metadata: ClientMetadata) => Promise<"added" | "replaced">
  /** Every client, by client_id. */
  readonly list: () => Promise<ReadonlyArray<RegisteredClient>>
  /** Finds a registered client with its metadata. */
  readonly show: (clientId: string) => Promise<RegisteredClient | undefined>
  /** Reports whether there was one to remove. */
  readonly remove: (clientId: string) => Promise<boolean>
  /**
   * Makes the store agree with the configuration file: what it declares is added or replaced, what it declared once and no longer does is
   * removed, what the command line added stays. A weak secret is taken as the file declares it at once; the hash in its row is compared
   * after that, and counts as unchanged until then.
   */
  readonly upsertFromConfig: (declared: ReadonlyArray<ClientMetadata>) => Promise<Declared>
  /**
   * Reports whether a client is stored as the file declares it or, with nothing declared, is none that a file once declared. False also where that takes a slow hash, or
   * a sealed secret, to tell.
   */
  readonly agrees: (clientId: string, declared: ClientMetadata | undefined) => Awaitable<boolean>
  /** The slow hashes of weak declared secrets as the store has come to agree, for `recallFromConfig` of other processes. */
  readonly declaredHashes: () => DeclaredHashes
  /** Takes weak declared secrets into memory and writes nothing: each counts for as long as its row keeps the hash that is given. */
  readonly recallFromConfig: (declared: ReadonlyArray<ClientMetadata>, hashes: DeclaredHashes) => void
}

/** A client secret of 256 random bits, 43 characters of base64url. The few draws that look like words are drawn again. */
export const generateClientSecret = (): string => {
  const drawn = randomBytes(32).toString("base64url")
  return isWeakSecret(drawn) ? generateClientSecret() : drawn
}

/** Registers clients in a database's rows. */
export const clientRegistry = (
  rows: ClientRows,
  cache: ClientCache,
  { hashing, encryption, now, confirms }: ClientStoreOptions,
): ClientRegistry => {
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
