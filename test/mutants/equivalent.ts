/** A mutant that no test can notice, since nothing that anyone can see changes. */
export interface Equivalent {
  readonly file: string
  readonly original: string
  readonly replacement: string
  readonly because: string
}

/** Every mutant that was looked at and found to change nothing. An entry that matches no survivor any more fails the run. */
export const equivalents: ReadonlyArray<Equivalent> = []
