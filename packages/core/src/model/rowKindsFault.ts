import { isJsonObject } from "./json.ts"
import { kindFault } from "./members.ts"

/** Returns the fault of the kinds of row that a store is given, as text; undefined if there is none. Features are easily taken for them. */
export const rowKindsFault = (kinds: unknown): string | undefined => {
  const fault = kindFault("kinds", kinds, "objects?")
  if (fault !== undefined || kinds === undefined) return fault
  // It is a list of objects here.
  const at = (kinds as ReadonlyArray<Readonly<Record<string, unknown>>>).findIndex(
    ({ columns, events }) => !isJsonObject(columns) || !isJsonObject(events),
  )
  return at === -1 ? undefined : `kinds[${at}]: is no kind of row; give rowKindsOf({ features })`
}
