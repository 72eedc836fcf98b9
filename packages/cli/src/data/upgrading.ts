/** Fewer rows are moved in a second or so, of which nobody need be told. */
const noticed = 200_000

/** Milliseconds from one line to the next. */
const often = 2000

const onStderr = (line: string): void => void process.stderr.write(`${line}\n`)

/** Tells on stderr how far a long upgrade of a database is; `clock` counts milliseconds. */
export const upgrading = (clock: () => number, tell: (line: string) => void = onStderr): ((moved: number, all: number) => void) => {
  let told = Number.NEGATIVE_INFINITY
  return (moved, all) => {
    const now = clock()
    if (all < noticed || (moved < all && now - told < often)) return
    told = now
    tell(`upgrading the database: ${moved} of ${all} rows moved${moved < all ? "" : "; the old table is being removed"}`)
  }
}
