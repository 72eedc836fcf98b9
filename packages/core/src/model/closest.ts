const bare = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, "")

/** Counts the single-letter edits between two words; a swap of neighbors counts once. */
const edits = (left: string, right: string): number => {
  let [before, last]: [ReadonlyArray<number>, ReadonlyArray<number>] = [[], Array.from({ length: right.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    for (let j = 1; j <= right.length; j++) {
      const [a, b] = [left[i - 1], right[j - 1]]
      const at = (cells: ReadonlyArray<number>, back: number): number => cells[j - back] ?? 0
      const least = Math.min(at(last, 0) + 1, at(row, 1) + 1, at(last, 1) + (a === b ? 0 : 1))
      row.push(i > 1 && j > 1 && a === right[j - 2] && b === left[i - 2] ? Math.min(least, at(before, 2) + 1) : least)
    }
    ;[before, last] = [last, row]
  }
  return last[right.length] ?? 0
}

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .split(/[-_ ]|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== "")

/** The maximum number of edits that count as a typo, whatever else a name could mean. */
const slip = 2

/** The maximum number of suggestions. */
const most = 3

/**
 * Returns the known names that were most likely meant; none if no name is similar. A name within a typo is returned alone. Next are those
 * that contain every word of the name, as `authorization_code_lifetime` contains those of `code_lifetime`; then the most similar by
 * letters.
 */
export const closest = (name: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const letters = bare(name)
  const limit = Math.max(1, Math.floor(letters.length / 3)) + 0.5
  const [best] = known
    // The difference in length is the minimum number of edits.
    .filter((each) => Math.abs(bare(each).length - letters.length) < Math.max(slip, limit))
    .map((each) => ({ each, distance: edits(letters, bare(each)) }))
    .toSorted((left, right) => left.distance - right.distance)
  if (best !== undefined && best.distance <= Math.min(slip, limit)) return [best.each]
  const asked = wordsOf(name)
  const longer = known.filter((each) => {
    const words = wordsOf(each)
    return asked.length > 0 && asked.every((word) => words.includes(word))
  })
  if (longer.length > 0 && longer.length <= most) return longer
  return best !== undefined && best.distance < limit ? [best.each] : []
}
