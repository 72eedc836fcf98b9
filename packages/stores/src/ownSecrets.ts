import { randomBytes } from "node:crypto"
import { type KeyEncryption, KeyUnreadable, isSealed } from "@postern/core/jose"
import { type Secret, secretOf } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"

/** Stores one of the provider's own secrets by name, unless one is stored already. Returns the stored one. */
export type KeepSecret = (name: string, value: string) => Awaitable<string>

/** The name of the row that holds the key for hashing accounts. */
const row = "account key"

/**
 * Returns the key that hashes accounts in audit events and in cookies of known devices. Its 256 bits are generated once per database and
 * stored there, so that they are the same after a restart and on every machine. The key is sealed if there is a key-encryption key. Rejects
 * with `KeyUnreadable` if another one sealed it.
 */
export const accountKeyIn = async (keep: KeepSecret, encryption: KeyEncryption | undefined): Promise<Secret> => {
  // Stored as JSON, which distinguishes it from a sealed key.
  const drawn = JSON.stringify({ k: randomBytes(32).toString("base64url") })
  const kept = await keep(row, encryption === undefined ? drawn : await encryption.seal(row, drawn))
  return secretOf(isSealed(kept) ? await opened(kept, encryption) : kept)
}

const opened = (sealed: string, encryption: KeyEncryption | undefined): Promise<string> => {
  if (encryption === undefined) throw new KeyUnreadable(row, "is sealed with a key-encryption key, and none is configured")
  return encryption.open(row, sealed)
}
