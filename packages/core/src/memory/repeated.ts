import { repeats } from "../model/index.ts"

/** Throws a `TypeError` if names are not unique. Of items with the same name, only the last would be found. */
export const refuseRepeated = (kind: string, names: ReadonlyArray<string>): void => {
  const repeated = new Set(repeats(names).map((at) => names[at]))
  if (repeated.size > 0) throw new TypeError(`${kind}: given more than once: ${[...repeated].join(", ")}`)
}
