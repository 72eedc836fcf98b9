import { type DecidedBy, decide } from "./decide.ts"
import { type Difference, differenceOf } from "./compare.ts"
import type { Decided, Entry } from "./entry.ts"
import type { Recording } from "./file.ts"

/** A recorded request that was decided again. */
export interface Replayed {
  readonly entry: Entry
  readonly decided: Decided
  /** The difference from the recorded decision; undefined if there is none. */
  readonly difference: Difference | undefined
}

/** Decides every request of a recording again, in order. */
export const replay = async ({ entries }: Pick<Recording, "entries">, by: DecidedBy): Promise<ReadonlyArray<Replayed>> => {
  const replayed: Array<Replayed> = []
  for (const entry of entries) {
    const decided = await decide(entry, by)
    replayed.push({ entry, decided, difference: differenceOf(entry.decided, decided) })
  }
  return replayed
}
