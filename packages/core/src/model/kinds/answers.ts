import type { Command } from "../command.ts"
import type { Locator } from "../handle.ts"
import { moved } from "../moved.ts"
import { type RowEvent, type RowKind, type RowStates, nextVersion, statesOf } from "../rowKind.ts"
import type { Instant, Seconds } from "../time.ts"

/** A row whose client polls for tokens until a person has answered: of a device (RFC 8628), or of CIBA. */
export interface AnswerableRow {
  /** The row's key. */
  readonly locator: Locator
  /** The number of changes made to the row. */
  readonly version: number
  /** The time at which the row expires. */
  readonly expiresAt: Instant
  /** The minimum number of seconds between two polls. */
  readonly interval: Seconds
  /** The time of the last poll. */
  readonly polledAt?: Instant | undefined
  /** The state of its life. */
  readonly state: "pending" | "approved" | "denied" | "failed" | "consumed" | "expired"
  /** The grant that the person gave. */
  readonly grantId?: Locator | undefined
}

/** States of such a row, and further ones. */
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

/** The commands of these events. */
export interface AnswerCommands<Row> {
  /** Records a poll and sets the interval until the next one. */
  readonly poll: (row: Row, polledAt: Instant, interval: Seconds) => Command
  /** Records a poll that came too early and sets the interval until the next one, unless another request has changed the row meanwhile. */
  readonly hurry: (row: Row, polledAt: Instant, interval: Seconds) => Command
  /** Approves a pending row, whose tokens belong to this grant. */
  readonly approve: (row: Row, grantId: Locator) => Command
  /** Denies a pending row. */
  readonly deny: (row: Row) => Command
  /** Consumes an approved row when its tokens are issued. */
  readonly consume: (row: Row) => Command
}

/** Returns the commands of the events that {@link answerEvents} has made with the same name. */
export const answerCommands = <Row extends AnswerableRow>(kind: RowKind<Row>, name: string): AnswerCommands<Row> => {
  const command = (event: string, row: Row, change: Partial<AnswerableRow>) => moved<AnswerableRow>(kind, event + name, row, change)
  return {
    poll: (row, polledAt, interval) => command("Poll", row, { polledAt, interval }),
    hurry: (row, polledAt, interval) => command("Hurry", row, { polledAt, interval }),
    approve: (row, grantId) => command("Approve", row, { grantId, state: "approved" }),
    deny: (row) => command("Deny", row, { state: "denied" }),
    consume: (row) => command("Consume", row, { state: "consumed" }),
  }
}
