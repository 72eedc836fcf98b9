import { type DecidedBy, decide } from "./decide.ts"
import { type Difference, differenceOf } from "./compare.ts"
import type { Decided, Entry } from "./entry.ts"
import type { Recording } from "./file.ts"

/** A recorded request, decided again. */
export interface Replayed {
  readonly entry: Entry
  readonly decided: Decided
  /** The difference to what was recorded; undefined where there is none. */
  readonly difference: Difference | undefined
}

/** Decides every request of a recording again, in its order. */
export const replay = async ({ entries }: Pick<Recording, "entries">, by: DecidedBy): Promise<ReadonlyArray<Replayed>> => {
  const replayed: Array<Replayed> = []
  for (const entry of entries) {
    const decided = await decide(entry, by)
    replayed.push({ entry, decided, difference: differenceOf(entry.decided, decided) })
  }
  return replayed
}
