import { type ClientMetadata, type Secret, secretOf } from "@postern/core/model"
import type { KeyEncryption } from "@postern/core/jose"
import { StoreUnavailable } from "../errors.ts"

/** The stored form of a client's secret: a hash to verify it by, or the sealed secret of a client that signs with it. */
export interface KeptSecret {
  readonly secretHash: string | undefined
  readonly secretSealed: string | undefined
}

/** The stored form of no secret. */
export const noSecret: KeptSecret = { secretHash: undefined, secretSealed: undefined }

/** Reports whether a client signs with its secret, so that a hash of it would not suffice (OpenID Connect Core §9 `client_secret_jwt`). */
export const signsWithSecret = ({ token_endpoint_auth_method }: ClientMetadata): boolean =>
  token_endpoint_auth_method === "client_secret_jwt"

/** Seals secrets that must be readable again, and opens them. */
export interface SealedSecrets {
  /** Seals a secret. Fails with a RangeError if there is no key to seal with. */
  readonly seal: (clientId: string, secret: string) => Promise<string>
  /** Opens a sealed secret. Fails with {@link StoreUnavailable} if another key sealed it. */
  readonly open: (clientId: string, sealed: string) => Promise<Secret>
}

/**
 * Seals secrets with a key that the database does not contain. The client is authenticated too, so that a row's secret cannot be moved to
 * another client.
 */
export const sealedSecrets = (encryption: KeyEncryption | undefined): SealedSecrets => {
  const row = (clientId: string): string => `client ${clientId}`
  return {
    seal: async (clientId, secret) => {
      if (encryption === undefined)
        throw new RangeError(`client ${clientId} signs with its secret, which cannot be kept without a key-encryption key`)
      return encryption.seal(row(clientId), secret)
    },
    open: async (clientId, sealed) => {
      if (encryption === undefined) throw new StoreUnavailable("open a client's secret", "SEALED")
      try {
        return secretOf(await encryption.open(row(clientId), sealed))
      } catch (error) {
        throw new StoreUnavailable("open a client's secret", "SEALED", error)
      }
    },
  }
}
