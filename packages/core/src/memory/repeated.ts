import { repeats } from "../model/index.ts"
import { kindFault } from "../model/members.ts"

/** Throws a `TypeError` if names are not unique. Of items with the same name, only the last would be found. */
export const refuseRepeated = (kind: string, names: ReadonlyArray<string>): void => {
  const repeated = new Set(repeats(names).map((at) => names[at]))
  if (repeated.size > 0) throw new TypeError(`${kind}: given more than once: ${[...repeated].join(", ")}`)
}

/** Throws a `TypeError` unless a list is given, each item of it of the kind: callers without types may give anything. */
export const refuseOthers = <Item>(name: string, given: ReadonlyArray<Item>, isOne: (each: Item) => boolean, due: string): void => {
  if (kindFault("", given, "list") !== undefined) throw new TypeError(`${name}: must be a list`)
  const at = given.findIndex((each: Item | null | undefined) => each === undefined || each === null || !isOne(each))
  if (at !== -1) throw new TypeError(`${name}[${at}]: ${due}`)
}
