import type { Command, RowEvent, RowKind } from "@postern/core/model"
import {
  binding,
  columnOf,
  compiledEvent,
  descendingOf,
  goingOn,
  identifier,
  raisesOf,
  selectionOf,
  setsOf,
  sqlite,
  type Stored,
} from "@postern/stores/sql"
import type { Database, Statement } from "./database.ts"

/** Returns the statements of a command, including its guards. */
export type StatementsOf = (command: Command) => ReadonlyArray<Statement>

/** Compiles an event to a statement with the guard in its WHERE clause, followed by one that fails if the first changed nothing. */
export const statementsOf = (database: Database, kind: RowKind, event: RowEvent): StatementsOf => {
  const change = changeOf(database, kind, event)
  const above = ascending(kind, event)
  const guarded = event.otherwise === "nothing" || change.guards ? [] : [database.changed]
  return (command) => [...change.of(command), ...guarded, ...(above === undefined ? [] : [above(command)])]
}

/** The statements of an event without its separate guard. */
interface Change {
  readonly of: StatementsOf
  /** True if the statement itself fails when its guard does. */
  readonly guards: boolean
}

const changeOf = (database: Database, kind: RowKind, event: RowEvent): Change => {
  const own = binding(kind, sqlite)
  const bound = (command: Command) => own.values(command) as ReadonlyArray<Stored>
  const down = goingOn(kind, event, "down")
  if (down !== undefined) {
    const sql = descendingOf(own.dialect, kind, event, down)
    return { of: (command) => [{ sql, values: bound(command) }], guards: false }
  }
  const compiled = compiledEvent(own.dialect, kind, event)
  if ("change" in compiled) return { of: (command) => [{ sql: compiled.change, values: bound(command) }], guards: false }
  if (event.otherwise === "nothing") return { of: () => [], guards: true }
  return { of: (command) => [database.unless(`NOT EXISTS (SELECT 1 ${compiled.look})`, bound(command))], guards: true }
}

/** Changes the ancestors of the rows that an event has just changed; none if it changed no rows. */
const ascending = (kind: RowKind, event: RowEvent): ((command: Command) => Statement) | undefined => {
  const way = goingOn(kind, event, "up")
  if (way === undefined || kind.descent === undefined) return undefined
  const { dialect, values } = binding(kind, sqlite)
  const [name, key, from] = [identifier(kind.name), columnOf(kind.key[0] ?? ""), columnOf(kind.descent.from)]
  // A guard that holds inserts no row.
  const happened = event.otherwise === "nothing" ? "changes() > 0" : "true"
  const sql = `
    WITH RECURSIVE above (key) AS (
      SELECT t.${from} FROM ${name} AS t WHERE ${selectionOf(dialect, kind, event)} AND ${happened}
      UNION SELECT t.${from} FROM above JOIN ${name} AS t ON t.${key} = above.key
    )
    UPDATE ${name} AS t SET ${setsOf(dialect, kind, [way], false)} WHERE t.${key} IN (SELECT key FROM above) AND (${raisesOf(dialect, kind, way)})`
  return (command) => ({ sql, values: values(command) as ReadonlyArray<Stored> })
}
