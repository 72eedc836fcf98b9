import type { Instant, Seconds } from "@postern/core/model"
import { hash, randomBytes } from "node:crypto"
import type { Hashing } from "../secrets/hashing.ts"
import type { Asker } from "../secrets/turns.ts"

/** Options of remembering verified secrets. */
export interface VerifiedSecretsOptions {
  readonly hashing: Hashing
  readonly now: () => Instant
  /** Told of a secret that was right, when it was hashed and not remembered. */
  readonly verified: (clientId: string, secretHash: string, secret: string) => void
  /** Number of secrets that are remembered; 10,000 when not given. */
  readonly most?: number
  /** For how long; 10 minutes when not given. */
  readonly life?: Seconds
}

/** Reports whether a secret is the one that was hashed for a client. */
export type VerifySecret = (clientId: string, secretHash: string, secret: string, asker: Asker) => Promise<boolean> | boolean

/**
 * Verifies client secrets by their slow hashes, and remembers those that were right, so that a machine client pays for one once in a while and not with
 * every token. What is remembered is a digest, keyed by what this process alone knows and never shown, of the client, the stored hash and the
 * secret: a changed secret is forgotten by being changed, and a wrong one is never remembered. The same secret checked at the same time is hashed once.
 */
export const verifiedSecrets = ({ hashing, now, verified, most = 10_000, life = 600 }: VerifiedSecretsOptions): VerifySecret => {
  const key = randomBytes(32).toString("base64")
  const remembered = new Map<string, Instant>()
  const underway = new Map<string, Promise<boolean>>()

  const remember = (mark: string): void => {
    remembered.delete(mark)
    remembered.set(mark, now() + life)
    for (const oldest of remembered.keys()) {
      if (remembered.size <= most) break
      remembered.delete(oldest)
    }
  }
  const verify: (mark: string, ...given: Parameters<VerifySecret>) => Promise<boolean> = async (
    mark,
    clientId,
    secretHash,
    secret,
    asker,
  ) => {
    const right = await hashing.verify(secretHash, secret, asker)
    if (!right) return false
    remember(mark)
    verified(clientId, secretHash, secret)
    return true
  }

  return (clientId, secretHash, secret, asker) => {
    const mark = hash("sha256", `${key}\n${clientId}\n${secretHash}\n${secret}`, "base64")
    const until = remembered.get(mark)
    if (until !== undefined && now() < until) return true
    const sharing = underway.get(mark)
    if (sharing !== undefined) return sharing
    const verifying = verify(mark, clientId, secretHash, secret, asker).finally(() => underway.delete(mark))
    underway.set(mark, verifying)
    return verifying
  }
}
