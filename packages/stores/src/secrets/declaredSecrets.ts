import { hash, randomBytes } from "node:crypto"
import { sameDigest } from "@postern/core/model"
import type { Hashing } from "./hashing.ts"

/** Replaces a slow hash by another, unless it has changed meanwhile. */
export type Rehash = (id: string, before: string, after: string) => unknown

/** The slow hashes of declared secrets, each with the id of its client or person. */
export type DeclaredHashes = ReadonlyArray<readonly [id: string, hash: string]>

/**
 * Holds the weak secrets of clients and the passwords of people that the configuration file declares. Comparing each with the slow hash in
 * its row would take one slow hash per secret at every start. This process therefore keeps a digest of each, under a key that never leaves
 * it, and the rows are compared afterwards.
 */
export interface DeclaredSecrets {
  /** Declares a secret whose row contains a slow hash. `isOwn` is false if the hash may be of the previously declared secret. */
  readonly declare: (id: string, kept: string, secret: string, isOwn: boolean) => void
  /** Reports whether a secret is the declared one. Returns undefined if none is declared or the row has changed since. */
  readonly matches: (id: string, kept: string | undefined, secret: string) => boolean | undefined
  /** Returns the hashes in the rows of declared secrets, for another process with the same declarations. */
  readonly hashes: () => DeclaredHashes
  /**
   * Compares the rows one after another, and replaces each hash that is of another secret or outdated. Fails if a row cannot be written.
   */
  readonly confirm: () => Promise<void>
}

/** Keeps declared secrets in memory. `confirms` is false if another process compares the rows. */
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
      return declared === undefined || declared.kept !== kept ? undefined : sameDigest(declared.mark, markOf(id, secret))
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
