import { type RowEvent, type RowStates, nextVersion, statesOf } from "../rowKind.ts"

/** States of a row whose client asks for tokens again and again until a person has answered. */
export const answerStates = (...more: ReadonlyArray<string>): RowStates<"state"> =>
  statesOf("state", "pending", "approved", "denied", "consumed", ...more)

/** Events of such a row: the name of each ends with that of what waits. */
export const answerEvents = (name: string): Readonly<Record<string, RowEvent<"version">>> => ({
  [`Poll${name}`]: { ...nextVersion, moves: { pending: "pending", approved: "approved", denied: "denied" } },
  // One of many that come too soon at once notes it for all: a conflict would have each of them decided again until it gives up.
  [`Hurry${name}`]: { ...nextVersion, otherwise: "nothing", moves: { pending: "pending", approved: "approved", denied: "denied" } },
  [`Approve${name}`]: { ...nextVersion, moves: { pending: "approved" } },
  [`Deny${name}`]: { ...nextVersion, moves: { pending: "denied" } },
  [`Consume${name}`]: { ...nextVersion, moves: { approved: "consumed" } },
})
