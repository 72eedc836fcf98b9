import type { Instant, Seconds } from "@postern/core/model"
import { hash, randomBytes } from "node:crypto"
import type { Hashing } from "../secrets/hashing.ts"
import type { Asker } from "../secrets/turns.ts"

/** Options for remembering verified secrets. */
export interface VerifiedSecretsOptions {
  readonly hashing: Hashing
  readonly now: () => Instant
  /** Called with a right secret that was hashed instead of found in memory. */
  readonly verified: (clientId: string, secretHash: string, secret: string) => void
  /** The maximum number of remembered secrets. Default: 10,000. */
  readonly most?: number
  /** The time for which a secret is remembered. Default: 10 minutes. */
  readonly life?: Seconds
}

/** Reports whether a secret is the one whose hash is stored for a client. */
export type VerifySecret = (clientId: string, secretHash: string, secret: string, asker: Asker) => Promise<boolean> | boolean

/**
 * Verifies client secrets by their slow hashes and remembers the right ones, so that a machine client needs one hash once in a while
 * instead of one per token. Only a digest of client, stored hash and secret is remembered, under a key that never leaves this process. A
 * changed secret therefore no longer matches, and a wrong one is never remembered. Concurrent checks of the same secret share one hash.
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
