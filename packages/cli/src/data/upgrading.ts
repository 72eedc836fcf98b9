/** The minimum number of rows for which progress is reported. Fewer are moved in about a second. */
const noticed = 200_000

/** The interval between two progress lines, in milliseconds. */
const often = 2000

const onStderr = (line: string): void => void process.stderr.write(`${line}\n`)

/** Returns a function that reports the progress of a long database upgrade on stderr. `clock` returns milliseconds. */
export const upgrading = (clock: () => number, tell: (line: string) => void = onStderr): ((moved: number, all: number) => void) => {
  let told = Number.NEGATIVE_INFINITY
  return (moved, all) => {
    const now = clock()
    if (all < noticed || (moved < all && now - told < often)) return
    told = now
    tell(`upgrading the database: ${moved} of ${all} rows moved${moved < all ? "" : "; the old table is being removed"}`)
  }
}
