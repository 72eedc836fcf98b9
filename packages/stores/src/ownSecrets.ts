import { randomBytes } from "node:crypto"
import { type KeyEncryption, KeyUnreadable, isSealed } from "@postern/core/jose"
import { type Secret, secretOf } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"

/** Keeps a secret of the provider's own by its name, unless one is kept already; answers with the one that is kept. */
export type KeepSecret = (name: string, value: string) => Awaitable<string>

/** The row of the key that accounts are hashed with. */
const row = "account key"

/**
 * The key that accounts are hashed with, in audit events and in cookies of known devices: 256 bits that the database draws once and keeps, so that
 * it is the same after a restart and on every machine. It is sealed where there is a key-encryption key. Rejects with `KeyUnreadable`
 * where that is not the one it was sealed with.
 */
export const accountKeyIn = async (keep: KeepSecret, encryption: KeyEncryption | undefined): Promise<Secret> => {
  // Kept as what a sealed one is told from.
  const drawn = JSON.stringify({ k: randomBytes(32).toString("base64url") })
  const kept = await keep(row, encryption === undefined ? drawn : await encryption.seal(row, drawn))
  return secretOf(isSealed(kept) ? await opened(kept, encryption) : kept)
}

const opened = (sealed: string, encryption: KeyEncryption | undefined): Promise<string> => {
  if (encryption === undefined) throw new KeyUnreadable(row, "is sealed with a key-encryption key, and none is configured")
  return encryption.open(row, sealed)
}
