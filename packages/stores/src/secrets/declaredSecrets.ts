import { hash, randomBytes } from "node:crypto"
import { sameText } from "./secretDigest.ts"
import type { Hashing } from "./hashing.ts"

/** Replaces a slow hash by another, unless it was changed meanwhile. */
export type Rehash = (id: string, before: string, after: string) => unknown

/** Slow hashes of declared secrets, each with whose it is. */
export type DeclaredHashes = ReadonlyArray<readonly [id: string, hash: string]>

/**
 * Weak secrets of clients, and passwords of people, that the configuration file declares. To compare one with the slow hash in its row would take a slow hash for each at every start.
 * So this process keeps a digest of them, under a key of its own that is never shown, and the rows are compared afterwards.
 */
export interface DeclaredSecrets {
  /** Declares the secret of somebody whose row keeps a slow hash: its own, or perhaps that of the secret which was declared before. */
  readonly declare: (id: string, kept: string, secret: string, isOwn: boolean) => void
  /** Reports whether a secret is the declared one; undefined where none is declared, or the row was changed since. */
  readonly matches: (id: string, kept: string | undefined, secret: string) => boolean | undefined
  /** The hashes in the rows of those that are declared, for another process that declares the same. */
  readonly hashes: () => DeclaredHashes
  /** Compares the rows, one after the other, and writes those that are of another secret. Fails as the rows do. */
  readonly confirm: () => Promise<void>
}

/** Keeps declared secrets in memory. `confirms` is false where another process compares the rows. */
export const declaredSecrets = (hashing: Hashing, rehash: Rehash, confirms = true): DeclaredSecrets => {
  const key = randomBytes(32).toString("base64")
  const markOf = (id: string, secret: string): string => hash("sha256", `${key}\n${id}\n${secret}`, "base64")
  const known = new Map<string, { readonly kept: string; readonly mark: string }>()
  let unconfirmed: Array<readonly [id: string, kept: string, secret: string]> = []

  return {
    declare: (id, kept, secret, isOwn) => {
      const isConfirmed = isOwn || known.get(id)?.kept === kept
      known.set(id, { kept, mark: markOf(id, secret) })
      if (!isConfirmed && confirms) unconfirmed.push([id, kept, secret])
    },
    matches: (id, kept, secret) => {
      const declared = known.get(id)
      return declared === undefined || declared.kept !== kept ? undefined : sameText(declared.mark, markOf(id, secret))
    },
    hashes: () => [...known].map(([id, { kept }]) => [id, kept]),
    confirm: async () => {
      const all = unconfirmed
      unconfirmed = []
      for (const [id, kept, secret] of all)
        if (hashing.outdated(kept) || !(await hashing.verify(kept, secret))) await rehash(id, kept, await hashing.hash(secret))
    },
  }
}
