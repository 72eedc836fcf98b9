import { createHash } from "node:crypto"
import type { Hashing } from "@postern/stores"

/** A hash of the form of argon2id's, made at once. */
export const standInHash = (secret: string, cost = "m=64,t=1,p=1"): string =>
  `$argon2id$v=19$${cost}$c2FsdHNhbHQ$${createHash("sha256").update(secret).digest("base64").replaceAll("=", "")}`

/** Hashing that costs nothing, and tells what was asked of it. For tests of whatever hashes. */
export const standInHashing = (cost = "m=64,t=1,p=1"): Hashing & { readonly hashed: Array<string>; readonly verified: Array<string> } => {
  const hashed: Array<string> = []
  const verified: Array<string> = []
  return {
    hashed,
    verified,
    hash: async (secret) => {
      hashed.push(secret)
      return standInHash(secret, cost)
    },
    verify: async (kept, secret, asker) => {
      verified.push(`${secret} ${asker?.kind ?? "operator"} ${asker?.address ?? "-"}`)
      return kept.split("$").at(-1) === standInHash(secret).split("$").at(-1)
    },
    load: () => ({ running: 0, waiting: 0, refused: 0 }),
    outdated: (kept) => !kept.includes(`$${cost}$`),
    decoy: `$argon2id$v=19$${cost}$c2FsdHNhbHQ$bm9ib2R5`,
  }
}
