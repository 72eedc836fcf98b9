import type { Mutant } from "./instrument.ts"

/** A mutant that no test can notice, since nothing that anyone can see changes. */
export interface Equivalent {
  readonly file: string
  /** Part of the line that the mutant begins on, where the same change elsewhere in the file is none of these. */
  readonly on?: string | undefined
  readonly original: string
  readonly replacement: string
  readonly because: string
}

/** A change: the original, its replacement, and part of the line it begins on where the same change elsewhere in the file counts. */
export type Change = readonly [original: string, replacement: string, on?: string]

/** Changes that were looked at and found to change nothing: by file and by the reason. One that matches no mutant any more fails the run. */
export type Listed = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Change>>>>>

/** Every entry of such a list. */
export const entriesOf = (listed: Listed): ReadonlyArray<Equivalent> =>
  Object.entries(listed).flatMap(([file, reasons]) =>
    Object.entries(reasons).flatMap(([because, changes]) =>
      changes.map(([original, replacement, on]) => ({ file, original, replacement, on, because })),
    ),
  )

/** Reports whether an entry names a mutant. */
export const names = (entry: Equivalent, mutant: Pick<Mutant, "file" | "text" | "original" | "replacement">): boolean =>
  entry.file === mutant.file &&
  entry.original === mutant.original &&
  entry.replacement === mutant.replacement &&
  (entry.on === undefined || mutant.text.includes(entry.on))
