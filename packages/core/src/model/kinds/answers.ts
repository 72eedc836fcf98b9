import { type RowEvent, type RowStates, nextVersion, statesOf } from "../rowKind.ts"

/** States of a row whose client polls for tokens until a person has answered. */
export const answerStates = (...more: ReadonlyArray<string>): RowStates<"state"> =>
  statesOf("state", "pending", "approved", "denied", "consumed", ...more)

/** Events of such a row; their names end with `name`. */
export const answerEvents = (name: string): Readonly<Record<string, RowEvent<"version">>> => ({
  [`Poll${name}`]: { ...nextVersion, moves: { pending: "pending", approved: "approved", denied: "denied" } },
  // If many polls arrive too early at once, one of them is recorded for all. A conflict would make each of them retry until it gives up.
  [`Hurry${name}`]: { ...nextVersion, otherwise: "nothing", moves: { pending: "pending", approved: "approved", denied: "denied" } },
  [`Approve${name}`]: { ...nextVersion, moves: { pending: "approved" } },
  [`Deny${name}`]: { ...nextVersion, moves: { pending: "denied" } },
  [`Consume${name}`]: { ...nextVersion, moves: { approved: "consumed" } },
})
