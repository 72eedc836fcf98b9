import { hash, randomBytes } from "node:crypto"
import type { Hashing } from "../hashing.ts"
import { sameText } from "./secretDigest.ts"

/** Replaces a slow hash by another, unless it was changed meanwhile. */
export type Rehash = (clientId: string, before: string, after: string) => unknown

/**
 * Weak secrets that the configuration file declares. To compare one with the slow hash in its row would take a slow hash for each at every start.
 * So this process keeps a digest of them, under a key of its own that is never shown, and the rows are compared afterwards.
 */
export interface DeclaredSecrets {
  /** Declares the secret of a client whose row keeps a slow hash: its own, or perhaps that of the secret which was declared before. */
  readonly declare: (clientId: string, kept: string, secret: string, isOwn: boolean) => void
  /** Whether a secret is the declared one; undefined where none is declared, or the row was changed since. */
  readonly matches: (clientId: string, kept: string | undefined, secret: string) => boolean | undefined
  /** Compares the rows, one after the other, and writes those that are of another secret. Fails as the rows do. */
  readonly confirm: () => Promise<void>
}

/** Keeps declared secrets in memory. */
export const declaredSecrets = (hashing: Hashing, rehash: Rehash): DeclaredSecrets => {
  const key = randomBytes(32).toString("base64")
  const markOf = (clientId: string, secret: string): string => hash("sha256", `${key}\n${clientId}\n${secret}`, "base64")
  const known = new Map<string, { readonly kept: string; readonly mark: string }>()
  let unconfirmed: Array<readonly [clientId: string, kept: string, secret: string]> = []

  return {
    declare: (clientId, kept, secret, isOwn) => {
      const isConfirmed = isOwn || known.get(clientId)?.kept === kept
      known.set(clientId, { kept, mark: markOf(clientId, secret) })
      if (!isConfirmed) unconfirmed.push([clientId, kept, secret])
    },
    matches: (clientId, kept, secret) => {
      const declared = known.get(clientId)
      return declared === undefined || declared.kept !== kept ? undefined : sameText(declared.mark, markOf(clientId, secret))
    },
    confirm: async () => {
      const all = unconfirmed
      unconfirmed = []
      for (const [clientId, kept, secret] of all)
        if (hashing.outdated(kept) || !(await hashing.verify(kept, secret))) await rehash(clientId, kept, await hashing.hash(secret))
    },
  }
}
