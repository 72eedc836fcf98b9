import { type Command, putting } from "./command.ts"
import { stateOf } from "./conditions.ts"
import type { Locator } from "./handle.ts"
import type { RowKind } from "./rowKind.ts"

/**
 * Replaces a row by its next version. It throws if the event has no move from the state of the row, or leads to a state other than its move
 * states: that is a bug.
 */
export const moved = <Row extends { readonly locator: Locator; readonly version: number }>(
  kind: RowKind<Row>,
  event: string,
  row: Row,
  change: Partial<Row> = {},
): Command => {
  const { locator, version: before } = row
  const after: Row = { ...row, ...change, version: before + 1 }
  const from = stateOf(kind, row)
  const to = kind.events[event]?.moves?.[from]
  if (to === undefined || stateOf(kind, after) !== to) throw new Error(`${kind.called} that is ${from} takes no ${event}`)
  return putting(kind, event, after, { locator, before })
}
