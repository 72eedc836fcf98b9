import { defaultKeyPolicy, type KeyCare, signingAlgorithms } from "@postern/core/jose"
import type { Stores } from "@postern/stores"
import { encryptionOf } from "./encryption.ts"
import type { DataPlace } from "./place.ts"

/** Returns the key policy of a store, from the configuration or by default. */
export const keyCareOf = ({ keys }: Pick<Stores, "keys">, { setup }: DataPlace): KeyCare => ({
  store: keys,
  algorithms: setup === undefined ? signingAlgorithms : [...setup.algorithms, ...setup.encryptionAlgorithms],
  policy: setup?.keyPolicy ?? defaultKeyPolicy,
  encryption: encryptionOf(setup),
  now: () => Math.floor(Date.now() / 1000),
})
