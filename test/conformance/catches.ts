import { readFileSync } from "node:fs"

/** Requirements and the faults that they find, by ids. `writeCatches.ts` keeps it. */
interface Known {
  /** A fault of our own provider that each requirement finds. */
  readonly requirements: Readonly<Record<string, string>>
  /** A requirement that finds each fault: the one that is tried first. */
  readonly faults: Readonly<Record<string, string>>
}

export const { requirements: catches, faults: catchers } = JSON.parse(
  readFileSync(new URL("catches.json", import.meta.url), "utf8"),
) as Known

/** Requirements that find none of the faults, each with the reason. */
export const uncaught: Readonly<Record<string, string>> = {}
