import type { SigningKey, SigningKeyStore } from "../jose/signingKey.ts"
import { refuseOthers } from "./repeated.ts"

/** Signing keys in memory, for tests and examples. */
export const memorySigningKeyStore = (initial: ReadonlyArray<SigningKey> = []): SigningKeyStore => {
  refuseOthers(
    "memorySigningKeyStore: keys",
    initial,
    ({ kid, privateJwk }) => typeof kid === "string" && typeof privateJwk === "string",
    "is no key; make it with generateKey",
  )
  const keys = new Map(initial.map((key) => [key.kid, key]))
  return {
    list: () => [...keys.values()],
    add: (added, seen) => {
      const fresh = new Set(added.map(({ kid }) => kid))
      const unseen = seen.length !== keys.size || !seen.every((kid) => keys.has(kid))
      if (unseen || fresh.size !== added.length || added.some(({ kid }) => keys.has(kid))) return "Conflict"
      for (const key of added) keys.set(key.kid, key)
      return "Committed"
    },
    remove: (kids) => {
      for (const kid of kids) keys.delete(kid)
    },
  }
}
