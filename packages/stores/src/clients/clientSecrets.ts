import type { Instant } from "@postern/core/model"
import { type Awaitable, after } from "@postern/core/ports"
import { type Hashing, longestSecret } from "../secrets/hashing.ts"
import { type DeclaredSecrets, declaredSecrets, type Rehash } from "../secrets/declaredSecrets.ts"
import { digestSecret, isDigest, sameText } from "../secrets/secretDigest.ts"
import { isWeakSecret } from "./strength.ts"
import { verifiedSecrets } from "./verifiedSecrets.ts"

/** Means by which the secrets of clients are judged. */
export interface ClientSecretsOptions {
  readonly hashing: Hashing
  readonly now: () => Instant
  readonly rehash: Rehash
  /** Judges whether the row of any client keeps a slow hash. */
  readonly anySlow: () => Awaitable<boolean>
  /** False where another process compares declared secrets with their rows. */
  readonly confirms?: boolean | undefined
}

/** The secrets that clients send. */
export interface ClientSecrets {
  /** Makes a row's form of a secret: a fast digest, or a slow hash of a weak one. */
  readonly keep: (clientId: string, secret: string) => Awaitable<string>
  /**
   * Judges whether a secret is the client's, by what its row keeps: undefined for one without a secret, or that there is not. Every refusal costs the same, a slow hash where
   * any client has one and else none, so that nobody can tell by the time which clients there are.
   */
  readonly judge: (clientId: string, kept: string | undefined, secret: string, address: string | undefined) => Awaitable<boolean>
  readonly declared: DeclaredSecrets
}

/** Judges the secrets of clients. */
export const clientSecrets = ({ hashing, now, rehash, anySlow, confirms }: ClientSecretsOptions): ClientSecrets => {
  const declared = declaredSecrets(hashing, rehash, confirms)
  const renew = async (clientId: string, kept: string, secret: string): Promise<void> => {
    if (!isWeakSecret(secret)) await rehash(clientId, kept, digestSecret(clientId, secret))
    else if (hashing.outdated(kept)) await rehash(clientId, kept, await hashing.hash(secret))
  }
  const verified = (clientId: string, kept: string, secret: string): void => {
    // It was right whether or not the better hash can be stored; the next right one tries again.
    if (kept !== hashing.decoy) renew(clientId, kept, secret).catch(() => undefined)
  }
  const verify = verifiedSecrets({ hashing, now, verified })

  /** Right or wrong where that is quickly told; undefined where it takes a slow hash. */
  const quick = (clientId: string, kept: string | undefined, secret: string): boolean | undefined => {
    if (kept === undefined) return false
    return isDigest(kept) ? sameText(kept, digestSecret(clientId, secret)) : declared.matches(clientId, kept, secret)
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
