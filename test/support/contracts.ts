import { sample } from "../tiers/tier.ts"

/**
 * The cases of a contract for a store that runs the statements of another one, which is tried with all of them in every tier, in another place or over another connection. Outside of the full
 * tier it has the cases written by hand, and each `step`-th of those that are made from the transition tables.
 */
export const casesElsewhere = <A extends { readonly name: string }>(cases: ReadonlyArray<A>, step = 6): ReadonlyArray<A> => {
  const isMade = ({ name }: A): boolean => name.endsWith("(architecture law 13)")
  const made = new Set(sample(cases.filter(isMade), step))
  return cases.filter((each) => !isMade(each) || made.has(each))
}
