/**
 * Share of the tests that runs, each tier with all of the one before: `quick` starts no process and no server, `standard` has every rule, real client,
 * real database and browser in it, and `full` is everything at full width.
 */
export const tiers = ["quick", "standard", "full"] as const

/** A tier of the tests. */
export type Tier = (typeof tiers)[number]

/** Tells if a word names a tier. */
export const isTier = (word: string | undefined): word is Tier => tiers.some((tier) => tier === word)

/** The environment variable that carries the tier from `npm test` to the tests. */
export const variable = "POSTERN_TIER"

/** Width of a run. */
export interface Width {
  readonly tier: Tier
  /** True in the tier that has everything: `test.runIf(full)` marks a test that runs in no other. */
  readonly full: boolean
  /** The runs of a property, or the repetitions of a fault: the first number in the full tier; in the others the second, a tenth of it when not given. */
  readonly runs: (inFull: number, otherwise?: number) => number
  /** The rows of a wide matrix: all of them in the full tier; in the others each `step`-th, from the first on. */
  readonly sample: <A>(rows: ReadonlyArray<A>, step: number) => ReadonlyArray<A>
}

/** Reads the tier; `full` when there is none, for tests that `npm test` did not start. */
export const widthOf = (named: string | undefined): Width => {
  if (named !== undefined && !isTier(named)) throw new Error(`${variable} is ${tiers.join(", ")}; there is no tier "${named}".`)
  const tier = named ?? "full"
  const full = tier === "full"
  return {
    tier,
    full,
    runs: (inFull, otherwise = Math.ceil(inFull / 10)) => (full ? inFull : otherwise),
    sample: (rows, step) => (full ? rows : rows.filter((_, at) => at % step === 0)),
  }
}

/** The width of this run. */
export const { tier, full, runs, sample } = widthOf(process.env[variable])
