import { type Instant, longestSecret, sameDigest } from "@postern/core/model"
import { type Awaitable, after } from "@postern/core/ports"
import type { Hashing } from "../secrets/hashing.ts"
import { type DeclaredSecrets, declaredSecrets, type Rehash } from "../secrets/declaredSecrets.ts"
import { digestSecret, isDigest } from "../secrets/secretDigest.ts"
import { isWeakSecret } from "./strength.ts"
import { verifiedSecrets } from "./verifiedSecrets.ts"

/** Dependencies of verifying client secrets. */
export interface ClientSecretsOptions {
  readonly hashing: Hashing
  readonly now: () => Instant
  readonly rehash: Rehash
  /** Reports whether any client's secret is stored as a slow hash. */
  readonly anySlow: () => Awaitable<boolean>
  /** False if another process compares declared secrets with their rows. */
  readonly confirms?: boolean | undefined
}

/** Hashes and verifies client secrets. */
export interface ClientSecrets {
  /** Returns the form of a secret to store: a fast digest of a strong secret, a slow hash of a weak one. */
  readonly keep: (clientId: string, secret: string) => Awaitable<string>
  /**
   * Reports whether a secret is the client's. `kept` is the stored form, or undefined for an unknown client or one without a secret. Every
   * refusal takes equally long, so that response times do not reveal which clients exist: one slow hash if any client has one, otherwise
   * none.
   */
  readonly judge: (clientId: string, kept: string | undefined, secret: string, address: string | undefined) => Awaitable<boolean>
  readonly declared: DeclaredSecrets
}

/** Makes the verifier of client secrets. */
export const clientSecrets = ({ hashing, now, rehash, anySlow, confirms }: ClientSecretsOptions): ClientSecrets => {
  const declared = declaredSecrets(hashing, rehash, confirms)
  const renew = async (clientId: string, kept: string, secret: string): Promise<void> => {
    if (!isWeakSecret(secret)) await rehash(clientId, kept, digestSecret(clientId, secret))
    else if (hashing.outdated(kept)) await rehash(clientId, kept, await hashing.hash(secret))
  }
  const verified = (clientId: string, kept: string, secret: string): void => {
    // The secret is right even if the better hash cannot be stored. The next verification tries again.
    if (kept !== hashing.decoy) renew(clientId, kept, secret).catch(() => undefined)
  }
  const verify = verifiedSecrets({ hashing, now, verified })

  /** Compares a secret if no slow hash is needed. Returns undefined if one is. */
  const quick = (clientId: string, kept: string | undefined, secret: string): boolean | undefined => {
    if (kept === undefined) return false
    return isDigest(kept) ? sameDigest(kept, digestSecret(clientId, secret)) : declared.matches(clientId, kept, secret)
  }

  return {
    keep: (clientId, secret) => (isWeakSecret(secret) ? hashing.hash(secret) : digestSecret(clientId, secret)),
    judge: (clientId, kept, secret, address) => {
      if (secret.length > longestSecret) return false
      const asker = { kind: "client_secret", address } as const
      const told = quick(clientId, kept, secret)
      if (told === true) return true
      if (told === undefined && kept !== undefined) return verify(clientId, kept, secret, asker)
      return after(anySlow(), (slow) => (slow ? after(verify(clientId, hashing.decoy, secret, asker), () => false) : false))
    },
    declared,
  }
}
