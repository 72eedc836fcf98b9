import * as Schema from "effect/Schema"
import type { Report, Result } from "./result.ts"

/** A failure that is known: why it is accepted, and until when. */
export const ExpectedFailures = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    reason: Schema.String,
    until: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
  }),
)

/** The known failures of a target. */
export type ExpectedFailures = typeof ExpectedFailures.Type

/** A report held against the failures that are known. */
export interface Judged {
  /** Failures that nobody expected, or whose time is over; a MUST that could not be tried is one of them. */
  readonly unexpected: ReadonlyArray<Result>
  /** Known failures that no longer fail: their entries can go. */
  readonly mended: ReadonlyArray<string>
  /** Known failures whose day has passed. */
  readonly overdue: ReadonlyArray<string>
}

/** Holds a report against the failures that are known, on a day (`YYYY-MM-DD`). */
export const judged = ({ results }: Report, expected: ExpectedFailures, today: string): Judged => {
  const failed = results.filter(
    ({ verdict, requirement }) => verdict === "fail" || (verdict === "inconclusive" && requirement.level === "MUST"),
  )
  const tried = new Set(results.filter(({ verdict }) => verdict === "pass" || verdict === "warn").map(({ requirement }) => requirement.id))
  const live = new Set(expected.filter(({ until }) => until >= today).map(({ id }) => id))
  return {
    unexpected: failed.filter(({ requirement }) => !live.has(requirement.id)),
    mended: expected.filter(({ id }) => tried.has(id)).map(({ id }) => id),
    overdue: expected.filter(({ until }) => until < today).map(({ id }) => id),
  }
}
