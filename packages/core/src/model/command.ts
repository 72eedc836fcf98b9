import type { Given, RowKind } from "./rowKind.ts"

/**
 * A change of state, as data: an event in the life of rows of one kind. Its guard and its change stand in the description of the kind of row
 * ({@link RowKind.events}), so that every command has one shape and a store interprets them all alike. A set of commands is committed whole or
 * not at all, and one failed guard makes the whole set a conflict. Commands are made by the functions beside the tables.
 */
export interface Command {
  /** The name of the table. */
  readonly table: string
  /** The name of the event. No two tables have one of the same name. */
  readonly event: string
  /** The key of the row, and whatever else guard and change speak of. */
  readonly given: Readonly<Record<string, Given>>
  /** The row that is inserted, or put in the place of another. */
  readonly row?: object
}

/** The result of a commit: all of it is durable, or none of it because a guard failed. */
export type CommitResult = "Committed" | "Conflict"

/** Makes a command that finds its rows, and needs no more than what it is given. */
export const happening = (kind: RowKind, event: string, given: Command["given"]): Command => ({ table: kind.name, event, given })

/** Makes a command that inserts a row or puts it in the place of another. */
export const putting = <Row extends object>(kind: RowKind<Row>, event: string, row: Row, given: Command["given"] = {}): Command => ({
  table: kind.name,
  event,
  given,
  row,
})

/** The row that a command of some table puts there; undefined where it is another table's, or puts none. */
export const rowPut = <Row extends object>(kind: RowKind<Row>, command: Command): Row | undefined =>
  // A command of a table is made from a row of it, by the function above.
  command.table === kind.name ? (command.row as Row | undefined) : undefined
