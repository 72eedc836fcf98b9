/**
 * How much of the tests runs, each tier with all of the one before: `quick` starts no process and no server, `standard` has every rule, real client,
 * real database and browser in it, and `full` is everything at full width.
 */
export const tiers = ["quick", "standard", "full"] as const

/** A tier of the tests. */
export type Tier = (typeof tiers)[number]

/** Whether a word names a tier. */
export const isTier = (word: string | undefined): word is Tier => tiers.some((tier) => tier === word)

/** The environment variable that carries the tier from `npm test` to the tests. */
export const variable = "POSTERN_TIER"

const named = process.env[variable]
if (named !== undefined && !isTier(named)) throw new Error(`${variable} is ${tiers.join(", ")}; there is no tier "${named}".`)

/** The tier of this run: `full` for tests that `npm test` did not start. */
export const tier: Tier = named ?? "full"

/** True in the tier that has everything: `test.runIf(full)` marks a test that runs in no other. */
export const full = tier === "full"

/** The runs of a property, or the repetitions of a fault: the first number in the full tier; in the others the second, a tenth of it when not given. */
export const runs = (inFull: number, otherwise = Math.ceil(inFull / 10)): number => (full ? inFull : otherwise)

/** The rows of a wide matrix: all of them in the full tier; in the others each `step`-th, from the first on. */
export const sample = <A>(rows: ReadonlyArray<A>, step: number): ReadonlyArray<A> => (full ? rows : rows.filter((_, at) => at % step === 0))
