import * as Schema from "effect/Schema"
import type { Report, Result } from "./result.ts"

/** Reports whether a text is a day of the calendar, as `YYYY-MM-DD`. */
const isDay = (text: string): boolean => {
  const at = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** Known failures, each with the reason why it is accepted and the day until which it is. */
export const ExpectedFailures = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    reason: Schema.String,
    until: Schema.String.check(Schema.makeFilter(isDay, { expected: "a day such as 2027-03-01" })),
  }),
)

/** The known failures of a target. */
export type ExpectedFailures = typeof ExpectedFailures.Type

/** A report compared with the known failures. */
export interface Judged {
  /** Unexpected failures, and those whose acceptance has expired. An inconclusive MUST counts as a failure. */
  readonly unexpected: ReadonlyArray<Result>
  /** Known failures that no longer fail, so that their entries can be removed. */
  readonly mended: ReadonlyArray<string>
  /** Known failures whose acceptance has expired. */
  readonly overdue: ReadonlyArray<string>
}

/** Compares a report with the known failures on a day (`YYYY-MM-DD`). */
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
