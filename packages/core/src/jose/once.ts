import type { Awaitable } from "../ports/index.ts"
import type { SigningKey } from "./signingKey.ts"

/** Values that are computed once per key. */
export interface Once<A> {
  /** Returns the value of a key, synchronously if it has been computed. */
  readonly of: (key: SigningKey) => Awaitable<A>
  /** Drops the values of all other keys. */
  readonly keep: (keys: ReadonlyMap<string, SigningKey>) => void
}

/** Computes a value once per key. A failed computation is repeated. */
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
