import original from "fast-check-itself"

type Assert = typeof original.assert

/** A property is repeated for each mutant it reaches: so many cases of it must do, always the same ones. */
const runs = 40

const assert: Assert = ((property: Parameters<Assert>[0], parameters: Parameters<Assert>[1]) =>
  original.assert(property, { ...parameters, seed: 20, numRuns: Math.min(parameters?.numRuns ?? 100, runs) })) as Assert

/** Stands in for fast-check while mutants are tried. */
export default { ...original, assert }
