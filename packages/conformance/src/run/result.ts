import type { Shown } from "../exchange/redact.ts"
import type { Requirement } from "../requirement/requirement.ts"

/** The end of a requirement. */
export type Verdict = "pass" | "fail" | "warn" | "skip" | "not applicable" | "inconclusive"

/** A requirement's verdict, why, and what shows it. */
export interface Result {
  readonly requirement: Pick<Requirement, "id" | "paragraph" | "level" | "title">
  readonly verdict: Verdict
  /** The fault that was found, or why the requirement was not tried; undefined where it is met. */
  readonly reason: string | undefined
  /** The last requests and their answers, without secrets; none where the requirement is met. */
  readonly exchanges: ReadonlyArray<Shown>
  /** The rules of our own provider that led to the last answer. */
  readonly trail: string | undefined
  /** Milliseconds that it took. */
  readonly duration: number
}

/** A whole run. */
export interface Report {
  /** The target's name. */
  readonly target: string
  /** The name of the set of requirements. */
  readonly set: string
  /** The moment at which it began, as RFC 3339 writes it. */
  readonly startedAt: string
  /** Milliseconds that it took. */
  readonly duration: number
  readonly results: ReadonlyArray<Result>
}

/** Counts the results of each verdict. */
export const counted = ({ results }: Pick<Report, "results">): Readonly<Record<Verdict, number>> => {
  const counts: Record<Verdict, number> = { pass: 0, fail: 0, warn: 0, skip: 0, "not applicable": 0, inconclusive: 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}
