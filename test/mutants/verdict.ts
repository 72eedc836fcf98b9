import { join } from "node:path"

/** One line of what a run found out. */
export type Verdict =
  | { readonly _tag: "Noticed"; readonly id: string; readonly test: string }
  /** Mutants that a test reached without having been noticed before it. */
  | { readonly _tag: "Reached"; readonly ids: ReadonlyArray<string> }
  /** Mutants of what is evaluated once, when a module is loaded: before any of them can be woken. */
  | { readonly _tag: "AtLoad"; readonly ids: ReadonlyArray<string> }
  /** The milliseconds that a test took with so many mutants. */
  | { readonly _tag: "Cost"; readonly test: string; readonly mutants: number; readonly milliseconds: number }
  /** A test that failed when it was run a second time in a row. */
  | { readonly _tag: "NotRepeatable"; readonly test: string }

/** The file that names the mutant which the tests of one share are tried with. */
export const currentOf = (work: string, shard: number | string): string => join(work, `current-${shard}`)
