import type { Mutant } from "./instrument.ts"

/** A mutant that no test can notice, since nothing that anyone can see changes. */
export interface Equivalent {
  readonly file: string
  /** Part of the line that the mutant begins on, where the same change elsewhere in the file is none of these. */
  readonly on?: string
  readonly original: string
  readonly replacement: string
  readonly because: string
}

/** Mutants of one file that were looked at and found to change nothing. An entry that matches no mutant any more fails the run. */
export const equivalentIn = (file: string, told: ReadonlyArray<Omit<Equivalent, "file">>): ReadonlyArray<Equivalent> =>
  told.map((each) => ({ file, ...each }))

/** Reports whether an entry names a mutant. */
export const names = (entry: Equivalent, mutant: Pick<Mutant, "file" | "text" | "original" | "replacement">): boolean =>
  entry.file === mutant.file &&
  entry.original === mutant.original &&
  entry.replacement === mutant.replacement &&
  (entry.on === undefined || mutant.text.includes(entry.on))
