import { defaultKeyPolicy, type KeyCare, KeysContended, KeyUnreadable, signingAlgorithms } from "@postern/core/jose"
import type { Stores } from "@postern/stores"
import { systemClock } from "@postern/stores/sql"
import { failed } from "../failure.ts"
import { encryptionOf } from "./encryption.ts"
import type { DataPlace } from "./place.ts"

/** Returns the key policy of a store, from the configuration or by default. */
export const keyCareOf = ({ keys }: Pick<Stores, "keys">, { setup }: Pick<DataPlace, "setup">): KeyCare => ({
  store: keys,
  algorithms: setup === undefined ? signingAlgorithms : [...setup.algorithms, ...setup.encryptionAlgorithms],
  policy: setup?.keyPolicy ?? defaultKeyPolicy,
  encryption: encryptionOf(setup),
  now: systemClock,
})

/** Translates an error of the signing keys for the terminal. Returns other errors unchanged, such as those of their store. */
export const keyFailure = (error: unknown): unknown => {
  if (error instanceof KeyUnreadable) return failed(error.message, "give the key_encryption_key that encrypts the keys in the database")
  return error instanceof KeysContended ? failed(error.message, "nothing was changed; try again") : error
}
