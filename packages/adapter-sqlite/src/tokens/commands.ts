import { type Command, type RowEvent, type RowKind, uses } from "@postern/core/model"
import { type Bound, columnOf, compiledEvent, descendingOf, eachEvent, goingOn, identifier, raisesOf, setsOf } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { binding } from "./binding.ts"
import { onceUsed } from "./onceUsed.ts"
import type { Spent } from "./spent.ts"

/** Applies one command inside a transaction. Returns false if its guard fails. */
export type Apply = (command: Command) => boolean

/**
 * Returns what applies the events of kinds of rows. A statement is prepared when it is first used: a start that prepares all 100 of them
 * takes 10 ms longer. One-time values are claimed through `spent`.
 */
export const applyTo = (database: Database, kinds: ReadonlyArray<RowKind>, spent?: Spent): Apply => {
  const applyOf = eachEvent(kinds, (kind, event, name) => {
    refuseUnslotted(kind, name, event)
    return kind.name === uses.name && spent !== undefined ? spent.claim : prepared(database, kind, event)
  })
  return (command) => applyOf(command.event)(command)
}

/**
 * Throws for descriptions that a slotted table cannot support. Only the slot is unique in it, so an insert detects no conflict of locators.
 */
const refuseUnslotted = ({ name, slotted, descent }: RowKind, called: string, { ways }: RowEvent): void => {
  if (slotted !== true) return
  if (descent !== undefined) throw new TypeError(`${name}: rows that descend from others are not slotted`)
  const inserts = ways.filter(({ when }) => when === "absent").length
  if (inserts > 0 && inserts < ways.length)
    throw new TypeError(`${name}: rows of which ${called} inserts one or changes the one there is are not slotted`)
}

const prepared = (database: Database, kind: RowKind, event: RowEvent): Apply => {
  const always = event.otherwise === "nothing"
  const run = onceUsed(() => descending(database, kind, event) ?? ascending(database, kind, event) ?? plain(database, kind, event))
  return (command) => run()(command) || always
}

/** Applies an event as one statement. */
const plain = (database: Database, kind: RowKind, event: RowEvent): Apply => {
  const { dialect, values } = binding(kind)
  const compiled = compiledEvent(dialect, kind, event)
  if ("look" in compiled) {
    const statement = database.prepare<Array<Bound>>(`SELECT 1 ${compiled.look}`)
    return (command) => statement.get(...values(command)) !== undefined
  }
  const statement = database.prepare<Array<Bound>>(compiled.change)
  return (command) => statement.run(...values(command)).changes > 0
}

/** Changes the selected rows and all their descendants that meet the guard, over any number of generations. */
const descending = (database: Database, kind: RowKind, event: RowEvent): Apply | undefined => {
  const way = goingOn(kind, event, "down")
  if (way === undefined) return undefined
  const { dialect, values } = binding(kind)
  const statement = database.prepare<Array<Bound>>(descendingOf(dialect, kind, event, way))
  return (command) => statement.run(...values(command)).changes > 0
}

/** Changes one row and its ancestors. */
const ascending = (database: Database, kind: RowKind, event: RowEvent): Apply | undefined => {
  const way = goingOn(kind, event, "up")
  if (way === undefined || kind.descent === undefined) return undefined
  const [key, from] = [columnOf(kind.key[0] ?? ""), columnOf(kind.descent.from)]
  const own = binding(kind)
  const compiled = compiledEvent(own.dialect, kind, event)
  if ("look" in compiled) throw new Error("an event that assigns changes rows")
  const first = database.prepare<Array<Bound>, string | null>(`${compiled.change} RETURNING ${from}`).pluck()
  const upper = binding(kind)
  const above = database.prepare<Array<Bound>>(`
    WITH RECURSIVE above (key, parent) AS (
      SELECT ${key}, ${from} FROM ${identifier(kind.name)} WHERE ${key} = ?
      UNION SELECT t.${key}, t.${from} FROM above JOIN ${identifier(kind.name)} AS t ON t.${key} = above.parent
    )
    UPDATE ${identifier(kind.name)} AS t SET ${setsOf(upper.dialect, kind, [way], false)} WHERE t.${key} IN (SELECT key FROM above)
      AND (${raisesOf(upper.dialect, kind, way)})`)
  return (command) => {
    const parent = first.get(...own.values(command))
    if (typeof parent === "string") above.run(parent, ...upper.values(command))
    return parent !== undefined
  }
}
