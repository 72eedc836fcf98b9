import { writeParams } from "../wire/index.ts"

/** The maximum length of a browser request that is processed, in characters as sent: more than a URL can carry everywhere. */
export const longestRequest = 12_288

/** The maximum length of a request that is stored while a person is asked, and of a response in a URL (RFC 9110 §4.1). */
export const longestKept = 8_000

/** The maximum length of a character in a URL. */
const widest = 9

/**
 * Returns the length of pairs in a URL or in a row, whichever is longer. If they are too long even unencoded, it returns their plain
 * length. In bytes, a row takes at most a quarter more.
 */
export const keptLength = (pairs: ReadonlyArray<readonly [string, string]>): number => {
  const plain = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return plain > longestKept ? plain : Math.max(writeParams(pairs).length, JSON.stringify(pairs).length)
}

/** Reports whether any request of this length can be stored, whatever it contains. */
export const isSurelyKept = (length: number): boolean => length * widest <= longestKept
