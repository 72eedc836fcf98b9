import type { Condition, Listing, RowKind } from "./rowKind.ts"

type Members = Readonly<Record<string, unknown>>

/** Reports whether a row meets every condition. */
export const meets = (row: Members, conditions: ReadonlyArray<Condition>, given: Members = {}): boolean =>
  conditions.every((condition) => {
    const [column, is, to] = condition
    const stored = row[column]
    if (is === "unset" || is === "set") return (stored === undefined) === (is === "unset")
    if (is === "is") return stored === to
    if (is === "contains") return Array.isArray(stored) && stored.includes(to)
    const value = operandOf(to ?? 0, given)
    // As in SQL, an absent member equals nothing, not even another absent value.
    if (stored === undefined) return false
    if (is === "equal") return stored === value || (typeof stored === "object" && JSON.stringify(stored) === JSON.stringify(value))
    const order = compared(stored, value)
    if (is === "atMost") return order <= 0
    return is === "below" ? order < 0 : order > 0
  })

/**
 * Compares two values: strings by their character codes, as the keys of every store are ordered, and all others as numbers. The result is
 * negative if the first comes first.
 */
const compared = (left: unknown, right: unknown): number => {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : Number(left > right)
  return Number(left) - Number(right)
}

/** Compares two rows by the order of a list. The result is negative if the first comes first. */
export const comparedBy = (order: Listing["order"], left: Members, right: Members): number => {
  for (const [column, way] of order) {
    const [a, b] = [left[column], right[column]]
    if (a === b) continue
    return (typeof a === "number" ? a < Number(b) : String(a) < String(b)) === (way === "up") ? -1 : 1
  }
  return 0
}

/** Returns the state of a row: the last one whose conditions are met. */
export const stateOf = ({ states = {} }: Pick<RowKind, "states">, row: object): string =>
  // A row is a plain object, whatever its type calls it.
  Object.entries(states).findLast(([, conditions]) => meets(row as Members, conditions))?.[0] ?? "unknown"

/** Returns the name of the command value that an operand refers to. */
export const givenName = (operand: string): string => operand.slice(1).replace(/\?$/, "")

/** Returns the value of an operand: a number as is, or the command value of that name. */
export const operandOf = (operand: string | number, given: Members): unknown =>
  typeof operand === "string" ? given[givenName(operand)] : operand
