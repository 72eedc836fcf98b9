import type { Given, RowKind } from "./rowKind.ts"

/**
 * A change of state, as data: an event in the life of rows of one kind. Its guard and its change are defined by the kind of row ({@link
 * RowKind.events}), so that all commands have the same shape and a store interprets them the same way. A set of commands is committed
 * atomically, and one failed guard makes the whole set a conflict. The functions beside the tables create commands.
 */
export interface Command {
  /** The name of the table. */
  readonly table: string
  /** The name of the event, which is unique across tables. */
  readonly event: string
  /** The key of the row, and the other values that the guard and the change use. */
  readonly given: Readonly<Record<string, Given>>
  /** The row that is inserted or that replaces another. */
  readonly row?: object
}

/** The result of a commit: all of it is durable, or none of it because a guard failed. */
export type CommitResult = "Committed" | "Conflict"

/** Creates a command that finds its rows and needs only the given values. */
export const happening = (kind: RowKind, event: string, given: Command["given"]): Command => ({ table: kind.name, event, given })

/** Creates a command that inserts or replaces a row. */
export const putting = <Row extends object>(kind: RowKind<Row>, event: string, row: Row, given: Command["given"] = {}): Command => ({
  table: kind.name,
  event,
  given,
  row,
})

/** Returns the row that a command inserts or replaces; undefined if the command belongs to another table or has no row. */
export const rowPut = <Row extends object>(kind: RowKind<Row>, command: Command): Row | undefined =>
  // A command of a table contains a row of it, because the function above creates it.
  command.table === kind.name ? (command.row as Row | undefined) : undefined
