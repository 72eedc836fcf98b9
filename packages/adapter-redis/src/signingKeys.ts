import type { SigningKey, SigningKeyStore } from "@postern/core/jose"
import { columnsOf } from "./client.ts"
import type { Library } from "./library.ts"

/** Stores signing keys. Private keys are stored as given, so seal them with a key-encryption key. */
export const signingKeysOn = ({ prefix, send, call }: Library): SigningKeyStore => ({
  list: async () => {
    const stored = columnsOf(await send("list signing keys", ["HGETALL", `${prefix}signing_keys`])) ?? {}
    // The values were encoded below from a SigningKey.
    return Object.values(stored)
      .map((text) => JSON.parse(text) as SigningKey)
      .sort((left, right) => left.activeAt - right.activeAt || (left.kid < right.kid ? -1 : 1))
  },
  add: async (added, seen) => {
    const texts = added.map((key) => [key.kid, JSON.stringify(key)])
    const result = await call("add signing keys", "addKeys", [JSON.stringify([...new Set(seen)]), JSON.stringify(texts)])
    return result === "Committed" ? "Committed" : "Conflict"
  },
  remove: async (gone) => {
    if (gone.length > 0) await send("remove signing keys", ["HDEL", `${prefix}signing_keys`, ...gone])
  },
})
