import { type Assignment, type Command, givenName, meets, operandOf, type RowEvent, type Way } from "../model/index.ts"
import type { Members, Rows, Undo } from "./rows.ts"

/**
 * Applies one command. Returns a function that undoes it, or undefined if no guard of its event holds. It suffices for a store that loads
 * and locks the rows that a command concerns: the row of its key, those that `by` selects, and their ancestors and descendants.
 */
export const applyCommand = (rows: Rows, { event: name, given, row }: Command): Undo | undefined => {
  const event = rows.kind.events[name]
  if (event === undefined) throw new Error(`${rows.kind.name} has no event ${name}`)
  const undos = event.by === undefined ? one(rows, event, given, row) : selected(rows, event, given)
  if (undos === undefined && event.otherwise !== "nothing") return undefined
  return () => {
    for (const undo of [...(undos ?? [])].reverse()) undo()
  }
}

/** Applies the first way whose guard the row of the command's key meets. */
const one = (rows: Rows, event: RowEvent, given: Members, row: object | undefined): ReadonlyArray<Undo> | undefined => {
  // A row is a plain object, whatever its type is called.
  const whole = row as Members | undefined
  const key = rows.keyOf(whole ?? given)
  const stored = rows.get(key)
  const isFree = whole !== undefined && !rows.isTaken(whole)
  const way = event.ways.find(({ when }) => (when === "absent" ? isFree : stored !== undefined && meets(stored, when, given)))
  if (way === undefined) return undefined
  if (way.change === "nothing") return []
  if (way.change === "remove") return [rows.put(key, undefined)]
  if (way.change === "insert" || way.change === "replace") return [rows.put(key, asKept(whole, rows.kind.whole))]
  return assigned(rows, key, way.change, way, given)
}

/** A row as every store returns it: one that is stored whole is JSON without undefined members, except for those that may be absent from it. */
const asKept = (row: Members | undefined, mayLack: ReadonlyArray<string> | undefined): Members | undefined =>
  row === undefined || mayLack === undefined
    ? row
    : Object.fromEntries([
        ...mayLack.map((name) => [name, undefined] as const),
        ...Object.entries(row).filter(([, value]) => value !== undefined),
      ])

/** Applies the only way of an event to every row that its columns select. */
const selected = (rows: Rows, { by = {}, ways: [way] }: RowEvent, given: Members): ReadonlyArray<Undo> => {
  if (way === undefined || typeof way.change === "string") throw new Error(`${rows.kind.name}: rows are only selected for assignments`)
  const { change } = way
  const isMeant = (row: Members): boolean =>
    Object.entries(by).every(([member, operand]) => {
      if (typeof operand !== "string") return row[member] === operand
      const value = given[givenName(operand)]
      return value === undefined ? operand.endsWith("?") : row[member] === value
    })
  return [...rows.all()]
    .filter(isMeant)
    .map((row) => rows.keyOf(row))
    .flatMap((key) => assigned(rows, key, change, way, given) ?? [])
}

/** Assigns columns of a row that meets the guard, and of its descendants or ancestors to which the change extends. */
const assigned = (
  rows: Rows,
  key: string,
  change: ReadonlyArray<Assignment>,
  { when }: Way,
  given: Members,
): ReadonlyArray<Undo> | undefined => {
  const { descent } = rows.kind
  const changed = (at: string, guard: Way["when"]): Undo | undefined => {
    const row = rows.get(at)
    return row !== undefined && guard !== "absent" && meets(row, guard, given) ? rows.put(at, withChange(row, change, given)) : undefined
  }
  const done = changed(key, when)
  if (done === undefined) return undefined
  const undos = [done]
  const goesOn = (columns: ReadonlyArray<string>): boolean => change.some(([column]) => columns.includes(column))
  if (descent !== undefined && goesOn(descent.down)) {
    const below = Map.groupBy(rows.all(), (row) => row[descent.from])
    // Each row is visited once, even if rows descend from each other in a circle. Iteration over a set includes elements that are added
    // meanwhile.
    const reached = new Set([key])
    for (const at of reached) {
      for (const row of below.get(at) ?? []) {
        const to = rows.keyOf(row)
        const undo = reached.has(to) ? undefined : changed(to, when)
        if (undo === undefined) continue
        undos.push(undo)
        reached.add(to)
      }
    }
  }
  if (descent !== undefined && goesOn(descent.up)) {
    const met = new Set([key])
    const above = (at: string): string => String(rows.get(at)?.[descent.from])
    for (let at = above(key); rows.get(at) !== undefined && !met.has(at); at = above(at)) {
      met.add(at)
      undos.push(changed(at, []) ?? (() => {}))
    }
  }
  return undos
}

const withChange = (row: Members, change: ReadonlyArray<Assignment>, given: Members): Members => {
  const next: Record<string, unknown> = { ...row }
  for (const [column, how, operand] of change) {
    const value = operandOf(operand ?? 0, given)
    if (how === "unset") next[column] = undefined
    else if (how === "add") next[column] = Number(row[column]) + Number(value)
    else if (how === "max") next[column] = Math.max(Number(row[column]), Number(value))
    else if (how === "set" || value !== undefined) next[column] = value
  }
  return next
}
