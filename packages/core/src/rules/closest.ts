const bare = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, "")

/** Single-letter edits between two words; a swap of neighbours counts once. */
const edits = (left: string, right: string): number => {
  const rows: Array<Array<number>> = []
  for (let i = 0; i <= left.length; i++) {
    const row: Array<number> = [i]
    for (let j = 1; j <= right.length; j++) {
      if (i === 0) {
        row.push(j)
        continue
      }
      const cell = (at: number, in_: number): number => rows[at]?.[in_] ?? 0
      const same = left[i - 1] === right[j - 1]
      let least = Math.min(cell(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, cell(i - 1, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) least = Math.min(least, cell(i - 2, j - 2) + 1)
      row.push(least)
    }
    rows.push(row)
  }
  return rows[left.length]?.[right.length] ?? 0
}

/** The known word that was most likely meant; undefined when none is near. */
export const closest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const far = Math.max(1, Math.floor(bare(word).length / 3)) + 0.5
  const ranked = known
    .map((each) => ({ each, distance: edits(bare(word), bare(each)) }))
    .toSorted((left, right) => left.distance - right.distance)
  const best = ranked[0]
  return best !== undefined && best.distance < far ? best.each : undefined
}
