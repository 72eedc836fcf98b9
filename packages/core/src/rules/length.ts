import { writeParams } from "../wire/index.ts"

/** The longest request of a browser that is looked at, in characters as it was sent: more than a URL can carry everywhere. */
export const longestRequest = 12_288

/** The most that is kept of a request while a person is asked, and the most that an answer carries back in a URL (RFC 9110 §4.1). */
export const longestKept = 8_000

/** A character takes no more than this when it is written in a URL. */
const widest = 9

/**
 * The length of pairs written in a URL or in a row, whichever is longer; of those that are too long as they are, their plain length. A row takes a quarter
 * more at most, in bytes.
 */
export const keptLength = (pairs: ReadonlyArray<readonly [string, string]>): number => {
  const plain = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return plain > longestKept ? plain : Math.max(writeParams(pairs).length, JSON.stringify(pairs).length)
}

/** Reports whether a request of so many characters can be kept whatever it holds. */
export const isSurelyKept = (length: number): boolean => length * widest <= longestKept
