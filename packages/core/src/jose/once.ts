import type { Awaitable } from "../ports/index.ts"
import type { SigningKey } from "./signingKey.ts"

/** Values made of keys, each once. */
export interface Once<A> {
  /** The value made of a key: given synchronously when it is made already, otherwise as soon as it is. */
  readonly of: (key: SigningKey) => Awaitable<A>
  /** Forgets what was made of all other keys. */
  readonly keep: (keys: ReadonlyMap<string, SigningKey>) => void
}

/** Makes something of each key once. What failed is made again. */
export const once = <A>(make: (key: SigningKey) => Promise<A>): Once<A> => {
  const made = new Map<string, { readonly value: A }>()
  const making = new Map<string, Promise<A>>()
  return {
    of: (key) => {
      const known = made.get(key.kid)
      if (known !== undefined) return known.value
      const begun = making.get(key.kid)
      if (begun !== undefined) return begun
      const beginning = make(key).then(
        (value) => {
          if (making.delete(key.kid)) made.set(key.kid, { value })
          return value
        },
        (error: unknown) => {
          making.delete(key.kid)
          throw error
        },
      )
      making.set(key.kid, beginning)
      return beginning
    },
    keep: (keys) => {
      for (const map of [made, making]) for (const kid of map.keys()) if (!keys.has(kid)) map.delete(kid)
    },
  }
}
