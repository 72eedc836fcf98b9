import { type Equivalent, names } from "./equivalent.ts"
import type { Mutant } from "./instrument.ts"
import type { Verdict } from "./verdict.ts"

/** The share of mutants that tests must notice, of those that change anything. */
export const wanted = 0.9

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 110)

/** Counts what was noticed, and says what was not. */
export const report = (
  mutants: ReadonlyArray<Mutant>,
  verdicts: ReadonlyArray<Verdict>,
  equivalents: ReadonlyArray<Equivalent>,
  { list, dear }: { readonly list: boolean; readonly dear: boolean },
): { readonly text: string; readonly enough: boolean } => {
  const noticed = new Set(verdicts.flatMap((each) => (each._tag === "Noticed" ? [each.id] : [])))
  const reached = new Set(verdicts.flatMap((each) => (each._tag === "Reached" ? each.ids : [])))
  const unrepeatable = new Set(verdicts.flatMap((each) => (each._tag === "NotRepeatable" ? [each.test] : [])))
  const atLoad = new Set(verdicts.flatMap((each) => (each._tag === "AtLoad" ? each.ids : [])))
  const isTried = ({ id }: Mutant): boolean => reached.has(id) || !atLoad.has(id)
  const isEquivalent = (mutant: Mutant): boolean => equivalents.some((entry) => names(entry, mutant))
  const survivors = mutants.filter((mutant) => isTried(mutant) && !noticed.has(mutant.id) && !isEquivalent(mutant))
  const files = new Set(mutants.map(({ file }) => file))
  const stale = equivalents.filter((entry) => files.has(entry.file) && !mutants.some((mutant) => names(entry, mutant)))
  const wrong = mutants.filter((mutant) => noticed.has(mutant.id) && isEquivalent(mutant))
  const counted = noticed.size + survivors.length
  const score = counted === 0 ? 1 : noticed.size / counted
  const shown = list ? survivors : []
  const costs = dear ? verdicts.flatMap((each) => (each._tag === "Cost" ? [each] : [])) : []
  const lines = [
    ...shown.map(
      ({ id, file, line, mutator, original, replacement }) =>
        `  ${file}:${line} ${mutator} (${reached.has(id) ? "survived" : "not reached"})\n    - ${oneLine(original)}\n    + ${oneLine(replacement)}`,
    ),
    ...costs
      .toSorted((one, other) => other.milliseconds - one.milliseconds)
      .slice(0, 15)
      .map(({ test, mutants: tried, milliseconds }) => `  ${(milliseconds / 1000).toFixed(1)} s with ${tried} mutants: ${test}`),
    ...[...unrepeatable].map((test) => `  judges nothing, since it does not pass twice in a row: ${test}`),
    ...stale.map(({ file, original }) => `  said to change nothing, but there is no such mutant: ${file}: ${oneLine(original)}`),
    ...wrong.map(({ file, line, original }) => `  said to change nothing, but a test notices: ${file}:${line}: ${oneLine(original)}`),
    `  ${noticed.size} of ${counted} noticed: ${(score * 100).toFixed(1)} % (at least ${wanted * 100} % wanted), ${mutants.filter(isTried).length - counted} change nothing, ${mutants.length - mutants.filter(isTried).length} act when a module is loaded and are not tried`,
  ]
  return { text: `${lines.join("\n")}\n`, enough: score >= wanted && stale.length === 0 && wrong.length === 0 }
}
