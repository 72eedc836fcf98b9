import { type ClientMetadata, type Secret, secretOf } from "@postern/core/model"
import type { KeyEncryption } from "@postern/core/jose"
import { StoreUnavailable } from "../errors.ts"

/** The part of a row that keeps a client's secret: a hash to verify it by or, of one that the client signs with, the secret itself under seal. */
export interface KeptSecret {
  readonly secretHash: string | undefined
  readonly secretSealed: string | undefined
}

/** A client without its secret. */
export const noSecret: KeptSecret = { secretHash: undefined, secretSealed: undefined }

/** Reports whether a client signs with its secret, so that a hash would not do (OpenID Connect Core §9 `client_secret_jwt`). */
export const signsWithSecret = ({ token_endpoint_auth_method }: ClientMetadata): boolean =>
  token_endpoint_auth_method === "client_secret_jwt"

/** Seals secrets that have to be read again, and opens them. */
export interface SealedSecrets {
  /** Fails with a RangeError where there is no key to seal with. */
  readonly seal: (clientId: string, secret: string) => Promise<string>
  /** Fails with {@link StoreUnavailable} where the key is not the one it was sealed with. */
  readonly open: (clientId: string, sealed: string) => Promise<Secret>
}

/** Under a key that the database does not hold. The client is part of what is authenticated, so no row's secret can be moved to another. */
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
