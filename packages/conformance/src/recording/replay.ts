import { type DecidedBy, decide } from "./decide.ts"
import { type Difference, differenceOf } from "./compare.ts"
import type { Decided, Entry } from "./entry.ts"
import { RequestUndecided, SettingsRefused } from "./errors.ts"
import type { Recording } from "./file.ts"

/** A recorded request that was decided again. */
export interface Replayed {
  readonly entry: Entry
  readonly decided: Decided
  /** The difference from the recorded decision; undefined if there is none. */
  readonly difference: Difference | undefined
}

/** Decides a request of a recording again. Throws {@link SettingsRefused}, and {@link RequestUndecided}, which names it. */
export const decideAgain = async (entry: Entry, by: DecidedBy): Promise<Decided> => {
  try {
    return await decide(entry, by)
  } catch (error) {
    throw error instanceof SettingsRefused ? error : new RequestUndecided(entry.request, error)
  }
}

/** Decides every request of a recording again, in order. Throws {@link SettingsRefused}, and {@link RequestUndecided}. */
export const replay = async ({ entries }: Pick<Recording, "entries">, by: DecidedBy): Promise<ReadonlyArray<Replayed>> => {
  const replayed: Array<Replayed> = []
  for (const entry of entries) {
    const decided = await decideAgain(entry, by)
    replayed.push({ entry, decided, difference: differenceOf(entry.decided, decided) })
  }
  return replayed
}
